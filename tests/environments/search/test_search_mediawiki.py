"""A MediaWiki dump becomes passages of what a reader sees."""

from __future__ import annotations

import bz2

import pytest

from agentgym_rl.environments.search.corpora import Corpus
from agentgym_rl.environments.search.corpora.mediawiki import WORDS
from agentgym_rl.environments.search.corpora.wikitext import sections
from agentgym_rl.environments.search.errors import CorpusError

DUMP = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="de">
  <siteinfo><namespaces>
    <namespace key="0" case="first-letter" /><namespace key="6">Datei</namespace><namespace key="14">Kategorie</namespace>
  </namespaces></siteinfo>
  <page><title>Nikosia</title><ns>0</ns><id>7</id><revision><id>99</id><model>wikitext</model>
    <text>'''Nikosia''' ist die [[Hauptstadt]] von [[Republik Zypern|Zypern]].
[[Datei:Nikosia.jpg|mini|Ein [[Bild]]]]
== Geschichte ==
Alt &amp;amp; schön.
[[Kategorie:Stadt]]</text></revision></page>
  <page><title>Lefkosia</title><ns>0</ns><id>8</id><redirect title="Nikosia" />
    <revision><id>100</id><text>#WEITERLEITUNG [[Nikosia]]</text></revision></page>
  <page><title>Diskussion:Nikosia</title><ns>1</ns><id>9</id><revision><id>101</id><text>Na ja.</text></revision></page>
  <page><title>Style</title><ns>0</ns><id>11</id><revision><id>102</id><model>css</model><text>a {}</text></revision></page>
  <page><title></title><ns>0</ns><id>10</id><revision><id>103</id><text>Ohne Titel.</text></revision></page>
  <page><title>Oslo</title><ns>0</ns><id>12</id><revision><id>104</id><text>Stadt in Norwegen.</text></revision></page>
</mediawiki>
"""


@pytest.mark.parametrize("name", ["dewiki-pages-articles.xml", "dewiki-pages-articles1.xml-p1p41242.bz2"])
def test_articles_become_passages(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(bz2.compress(DUMP.encode()) if name.endswith("bz2") else DUMP.encode())
    corpus = Corpus(path, skip_bad=True)
    assert [(passage.id, passage.contents) for passage in corpus] == [
        ("7-0", "Nikosia\nNikosia ist die Hauptstadt von Zypern."),
        ("7-1", "Nikosia: Geschichte\nAlt & schön."),
        ("12-0", "Oslo\nStadt in Norwegen."),
    ]
    assert corpus.first_bad == f"{path}, page 5: no title"
    assert corpus.name == name.partition(".")[0]


def test_long_sections_are_cut_between_sentences(tmp_path):
    path = tmp_path / "wiki.xml"
    text = " ".join(f"Sentence {number} has five words." for number in range(50))
    path.write_text(
        f"<mediawiki><page><title>A</title><id>1</id><revision><text>{text}</text></revision></page></mediawiki>"
    )
    passages = list(Corpus(path))
    assert " ".join(passage.text for passage in passages) == text
    assert [passage.title for passage in passages] == ["A"] * 3
    assert all(len(passage.text.split()) <= WORDS * 4 / 3 for passage in passages)
    assert all(passage.text.endswith(".") for passage in passages)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<html></html>", "<html>, not a MediaWiki dump"),
        ("no xml", "syntax error: line 1, column 0"),
        (DUMP[: len(DUMP) // 2], "line"),
        ("", "no element found"),
    ],
)
def test_what_is_no_dump(tmp_path, content, message):
    path = tmp_path / "wiki.xml"
    path.write_text(content)
    with pytest.raises(CorpusError, match=f"can't be read: .*{message}"):
        list(Corpus(path))


@pytest.mark.parametrize(
    ("markup", "seen"),
    [
        ("A '''bold''' and ''slanted'' word", "A bold and slanted word"),
        ("[[Link]]s, [[target|label]], [[:Category:Towns]] [http://x.org outside]", "Links, label, Category:Towns outside"),
        ("[[File:a.jpg|thumb|A [[nested]] caption [1]]]Text[[Category:C]] [[de:Andere]]", "Text"),
        ("Before {{Infobox|a={{nested|b}}|c}} after", "Before after"),
        ("It is {{convert|5|km|mi}} to {{lang|fr|[[Paris|la ville]]}}", "It is 5 km to la ville"),
        ("Text<ref name=a>note</ref><ref name=b /> goes<!-- unseen --> on<br/>.", "Text goes on."),
        ("{| class=wikitable\n|-\n| cell {| inner |}\n|}\nText", "Text"),
        ("* one\n# two\n: three", "one\ntwo\nthree"),
        ("a &lt;b&gt; &amp; c&nbsp;d __TOC__", "a <b> & c d"),
        ("{{" * 5000 + "<ref>" * 5000, ""),
        ("unclosed {{template|with [[link]] and {| table", "unclosed template|with link and {| table"),
    ],
)
def test_wikitext(markup, seen):
    assert "\n".join(section.text for section in sections(markup, frozenset({"File", "Category"}))) == seen


def test_sections_that_nobody_reads_are_left_out():
    markup = "Lead.\n== History ==\nOld.\n=== Later ===\nNew.\n== References ==\n* note\n== Empty ==\n"
    found = [(section.heading, section.text) for section in sections(markup, frozenset())]
    assert found == [("", "Lead."), ("History", "Old."), ("Later", "New.")]
