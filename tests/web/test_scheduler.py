"""The page on a real Dask cluster; marked `cluster`, as all that needs a scheduler."""

from __future__ import annotations

import pytest

from tests.batch.test_cluster import Cluster
from tests.web.serving import RIGHT, WRONG, Client

pytestmark = pytest.mark.cluster


def test_a_cluster_judges_what_the_page_takes(serve, tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    try:
        cluster.add_worker()
        server = serve("--scheduler", cluster.address)
        client = Client(server.port)
        right, wrong = client.submit(RIGHT)[1]["id"], client.submit(WRONG)[1]["id"]
        assert client.verdict(right)["verdict"] == "AC"
        told = client.verdict(wrong)
        assert told["verdict"] == "WA"
        assert told["diagnosis"]
        assert server.terminate() == 0
    finally:
        cluster.stop()
