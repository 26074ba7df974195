"""Making test cases: from `generator/cases.yaml` to proved files in `testcases/`."""
