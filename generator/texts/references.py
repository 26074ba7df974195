"""The works that the texts cite: one entry each, with authors, title, venue, year and address."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """A published work.

    Args:
        short: how a sentence names it, as in "Vaswani et al., 2017".
        authors: all of them, or the first ones and "et al." where there are many.
        title: its title.
        venue: where it was published, with volume or pages where it has them.
        year: year of publication.
        url: a lasting address.
    """

    short: str
    authors: str
    title: str
    venue: str
    year: int
    url: str


WORKS = {
    "ba2016": Work(
        "Ba et al., 2016",
        "Jimmy Lei Ba, Jamie Ryan Kiros, Geoffrey E. Hinton",
        "Layer Normalization",
        "arXiv:1607.06450",
        2016,
        "https://arxiv.org/abs/1607.06450",
    ),
    "clark2019": Work(
        "Clark et al., 2019",
        "Kevin Clark, Urvashi Khandelwal, Omer Levy, Christopher D. Manning",
        "What Does BERT Look At? An Analysis of BERT's Attention",
        "BlackboxNLP workshop at ACL",
        2019,
        "https://arxiv.org/abs/1906.04341",
    ),
    "devlin2019": Work(
        "Devlin et al., 2019",
        "Jacob Devlin, Ming-Wei Chang, Kenton Lee, Kristina Toutanova",
        "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
        "NAACL-HLT",
        2019,
        "https://arxiv.org/abs/1810.04805",
    ),
    "dosovitskiy2021": Work(
        "Dosovitskiy et al., 2021",
        "Alexey Dosovitskiy, Lucas Beyer, Alexander Kolesnikov, Dirk Weissenborn et al.",
        "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale",
        "ICLR",
        2021,
        "https://arxiv.org/abs/2010.11929",
    ),
    "geva2021": Work(
        "Geva et al., 2021",
        "Mor Geva, Roei Schuster, Jonathan Berant, Omer Levy",
        "Transformer Feed-Forward Layers Are Key-Value Memories",
        "EMNLP, pages 5484–5495",
        2021,
        "https://aclanthology.org/2021.emnlp-main.446",
    ),
    "he2016": Work(
        "He et al., 2016",
        "Kaiming He, Xiangyu Zhang, Shaoqing Ren, Jian Sun",
        "Deep Residual Learning for Image Recognition",
        "CVPR",
        2016,
        "https://arxiv.org/abs/1512.03385",
    ),
    "hendrycks2016": Work(
        "Hendrycks and Gimpel, 2016",
        "Dan Hendrycks, Kevin Gimpel",
        "Gaussian Error Linear Units (GELUs)",
        "arXiv:1606.08415",
        2016,
        "https://arxiv.org/abs/1606.08415",
    ),
    "ioffe2015": Work(
        "Ioffe and Szegedy, 2015",
        "Sergey Ioffe, Christian Szegedy",
        "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate "
        "Shift",
        "ICML",
        2015,
        "https://arxiv.org/abs/1502.03167",
    ),
    "jawahar2019": Work(
        "Jawahar et al., 2019",
        "Ganesh Jawahar, Benoît Sagot, Djamé Seddah",
        "What Does BERT Learn about the Structure of Language?",
        "ACL, pages 3651–3657",
        2019,
        "https://aclanthology.org/P19-1356",
    ),
    "levesque2012": Work(
        "Levesque et al., 2012",
        "Hector J. Levesque, Ernest Davis, Leora Morgenstern",
        "The Winograd Schema Challenge",
        "Knowledge Representation and Reasoning (KR)",
        2012,
        "https://cs.nyu.edu/~davise/papers/WinogradSchemas/WS.html",
    ),
    "popel2018": Work(
        "Popel and Bojar, 2018",
        "Martin Popel, Ondřej Bojar",
        "Training Tips for the Transformer Model",
        "The Prague Bulletin of Mathematical Linguistics 110, pages 43–70",
        2018,
        "https://arxiv.org/abs/1804.00247",
    ),
    "press2020": Work(
        "Press et al., 2020",
        "Ofir Press, Noah A. Smith, Omer Levy",
        "Improving Transformer Models by Reordering their Sublayers",
        "ACL, pages 2996–3005",
        2020,
        "https://aclanthology.org/2020.acl-main.270",
    ),
    "radford2018": Work(
        "Radford et al., 2018",
        "Alec Radford, Karthik Narasimhan, Tim Salimans, Ilya Sutskever",
        "Improving Language Understanding by Generative Pre-Training",
        "OpenAI technical report",
        2018,
        "https://openai.com/index/language-unsupervised/",
    ),
    "radford2019": Work(
        "Radford et al., 2019",
        "Alec Radford, Jeffrey Wu, Rewon Child, David Luan, Dario Amodei, Ilya Sutskever",
        "Language Models are Unsupervised Multitask Learners",
        "OpenAI technical report",
        2019,
        "https://openai.com/index/better-language-models/",
    ),
    "sennrich2016": Work(
        "Sennrich et al., 2016",
        "Rico Sennrich, Barry Haddow, Alexandra Birch",
        "Neural Machine Translation of Rare Words with Subword Units",
        "ACL",
        2016,
        "https://aclanthology.org/P16-1162",
    ),
    "srivastava2014": Work(
        "Srivastava et al., 2014",
        "Nitish Srivastava, Geoffrey Hinton, Alex Krizhevsky, Ilya Sutskever, Ruslan Salakhutdinov",
        "Dropout: A Simple Way to Prevent Neural Networks from Overfitting",
        "Journal of Machine Learning Research 15, pages 1929–1958",
        2014,
        "https://jmlr.org/papers/v15/srivastava14a.html",
    ),
    "takase2023": Work(
        "Takase et al., 2023",
        "Sho Takase, Shun Kiyono, Sosuke Kobayashi, Jun Suzuki",
        "B2T Connection: Serving Stability and Performance in Deep Transformers",
        "Findings of ACL, pages 3078–3095",
        2023,
        "https://aclanthology.org/2023.findings-acl.192",
    ),
    "tenney2019": Work(
        "Tenney et al., 2019",
        "Ian Tenney, Dipanjan Das, Ellie Pavlick",
        "BERT Rediscovers the Classical NLP Pipeline",
        "ACL, pages 4593–4601",
        2019,
        "https://aclanthology.org/P19-1452",
    ),
    "touvron2023": Work(
        "Touvron et al., 2023",
        "Hugo Touvron, Thibaut Lavril, Gautier Izacard, Xavier Martinet, Marie-Anne Lachaux et al.",
        "LLaMA: Open and Efficient Foundation Language Models",
        "arXiv:2302.13971",
        2023,
        "https://arxiv.org/abs/2302.13971",
    ),
    "vaswani2017": Work(
        "Vaswani et al., 2017",
        "Ashish Vaswani, Noam Shazeer, Niki Parmar, Jakob Uszkoreit, Llion Jones, Aidan N. Gomez, "
        "Łukasz Kaiser, Illia Polosukhin",
        "Attention Is All You Need",
        "Advances in Neural Information Processing Systems 30",
        2017,
        "https://arxiv.org/abs/1706.03762",
    ),
    "wu2016": Work(
        "Wu et al., 2016",
        "Yonghui Wu, Mike Schuster, Zhifeng Chen, Quoc V. Le, Mohammad Norouzi et al.",
        "Google's Neural Machine Translation System: Bridging the Gap between Human and Machine "
        "Translation",
        "arXiv:1609.08144",
        2016,
        "https://arxiv.org/abs/1609.08144",
    ),
    "xiong2020": Work(
        "Xiong et al., 2020",
        "Ruibin Xiong, Yunchang Yang, Di He, Kai Zheng, Shuxin Zheng, Chen Xing, Huishuai Zhang, "
        "Yanyan Lan, Liwei Wang, Tie-Yan Liu",
        "On Layer Normalization in the Transformer Architecture",
        "ICML",
        2020,
        "https://arxiv.org/abs/2002.04745",
    ),
    "zhang2019": Work(
        "Zhang and Sennrich, 2019",
        "Biao Zhang, Rico Sennrich",
        "Root Mean Square Layer Normalization",
        "Advances in Neural Information Processing Systems 32",
        2019,
        "https://arxiv.org/abs/1910.07467",
    ),
}
"""Every work by the key that a template cites."""


class Citations:
    """Remembers what a text cites, so that its list of references holds exactly that."""

    def __init__(self) -> None:
        self.cited: set[str] = set()

    def __call__(self, key: str) -> str:
        """Return a citation as a link: [Vaswani et al., 2017](https://…).

        Raises:
            ValueError: no work has that key.
        """
        if key not in WORKS:
            raise ValueError(f"no work is called {key!r} in generator/texts/references.py")
        self.cited.add(key)
        work = WORKS[key]
        return f"[{work.short}]({work.url})"

    def listed(self) -> list[Work]:
        """Return the works cited so far, by author and year."""
        return [WORKS[key] for key in sorted(self.cited)]
