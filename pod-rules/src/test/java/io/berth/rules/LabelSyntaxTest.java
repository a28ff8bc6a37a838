package io.berth.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSyntaxTest {

  @ParameterizedTest
  @ValueSource(strings = {"a", "A.b_c-9", "example.com/name", "a-b.c/X"})
  void labelNamesThatAreAccepted(String name) {
    assertThat(LabelSyntax.ofLabelName(name)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "/b, prefix part must be non-empty",
    "A.b/c, prefix part a lowercase RFC 1123 subdomain must consist of",
    "a b, name part must consist of alphanumeric characters",
    "-a, name part must consist of alphanumeric characters",
    "a/b/c, a valid label key must consist of alphanumeric characters",
  })
  void labelNamesThatAreRefused(String name, String problem) {
    assertThat(LabelSyntax.ofLabelName(name))
        .singleElement()
        .satisfies(said -> assertThat(said).startsWith(problem));
  }

  @Test
  void anEmptyName_isEmptyAndMalformed() {
    assertThat(LabelSyntax.ofLabelName("a/"))
        .satisfiesExactly(
            said -> assertThat(said).isEqualTo("name part must be non-empty"),
            said -> assertThat(said).startsWith("name part must consist of"));
  }

  @Test
  void lengths_areCountedInBytes() {
    assertThat(LabelSyntax.ofLabelValue("a".repeat(63))).isEmpty();
    assertThat(LabelSyntax.ofLabelValue("a".repeat(64)))
        .containsExactly("must be no more than 63 bytes");
    assertThat(LabelSyntax.ofLabelValue("я".repeat(32)))
        .satisfiesExactly(
            said -> assertThat(said).isEqualTo("must be no more than 63 bytes"),
            said -> assertThat(said).startsWith("a valid label must be"));
  }

  @Test
  void aSubdomain_isNoLabelBecauseOfItsDots() {
    assertThat(LabelSyntax.ofSubdomain("a.b")).isEmpty();
    assertThat(LabelSyntax.ofDnsLabel("a.b")).containsExactly("must not contain dots");
    assertThat(LabelSyntax.ofDnsLabel("A"))
        .singleElement()
        .satisfies(said -> assertThat(said).startsWith("a lowercase RFC 1123 label must"));
  }
}
