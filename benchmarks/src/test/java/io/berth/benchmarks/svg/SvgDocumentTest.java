package io.berth.benchmarks.svg;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SvgDocumentTest {

  @Test
  void document_hasItsSizeAndItsElementsInOrder() {
    SvgDocument document = SvgDocument.ofSize(20, 10).with("role", "img").begin();
    document.element("rect").with("x", 1.25).with("rx", 3).end();
    document.element("text").with("fill", "red").end("one");

    assertThat(document.done())
        .isEqualTo(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10" role="img">
            <rect x="1.3" rx="3"/>
            <text fill="red">one</text>
            </svg>
            """);
  }

  @Test
  void textAndAttributes_areEscaped() {
    SvgDocument document = SvgDocument.ofSize(1, 1).begin();
    document.element("text").with("class", "a\"<&>").end("\"<&>");

    assertThat(document.done())
        .contains("<text class=\"a&quot;&lt;&amp;&gt;\">\"&lt;&amp;&gt;</text>");
  }
}
