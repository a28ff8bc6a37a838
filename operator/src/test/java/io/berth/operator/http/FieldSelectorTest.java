package io.berth.operator.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.operator.http.FieldSelector.Term;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Field selectors, as Kubernetes writes them. */
class FieldSelectorTest {
  private static final List<String> FIELDS = List.of("metadata.name", "status.result");
  private static final Map<String, String> WEB =
      Map.of("metadata.name", "web", "status.result", "Placed");

  @ParameterizedTest
  @CsvSource({
    "'', true",
    "metadata.name=web, true",
    "metadata.name==web, true",
    "metadata.name!=web, false",
    "metadata.name!=api, true",
    "'metadata.name=web,status.result!=Placed', false",
    "'metadata.name=web , status.result=Placed', true",
    "metadata.name=, false",
    "'metadata.name=web,', true",
  })
  void selector_hasConditions_allOfWhichHold(String text, boolean selected) {
    assertThat(FieldSelector.parse(text, FIELDS).matches(field -> WEB.getOrDefault(field, "")))
        .isEqualTo(selected);
  }

  @Test
  void backslash_protectsTheNextCharacter() {
    assertThat(FieldSelector.parse("metadata.name=a\\,b\\=c\\\\d", FIELDS).terms())
        .containsExactly(new Term("metadata.name", true, "a,b=c\\d"));
  }

  @Test
  void requiredValue_isThatOfAnEquation() {
    assertThat(FieldSelector.parse("metadata.name=web", FIELDS).required("metadata.name"))
        .contains("web");
    assertThat(FieldSelector.parse("metadata.name!=web", FIELDS).required("metadata.name"))
        .isEmpty();
    assertThat(FieldSelector.ALL.isEmpty()).isTrue();
  }

  @Test
  void unknownField_isRefused_withTheSupportedOnes() {
    assertThatThrownBy(() -> FieldSelector.parse("spec.nodeName=n1", FIELDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "fieldSelector: field \"spec.nodeName\" is not supported; the supported fields are"
                + " metadata.name, status.result");
  }

  @ParameterizedTest
  @ValueSource(strings = {"metadata.name", "=web", "web,metadata.name=x"})
  void whatIsNoCondition_isRefused(String text) {
    assertThatThrownBy(() -> FieldSelector.parse(text, FIELDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("write FIELD=VALUE or FIELD!=VALUE");
  }
}
