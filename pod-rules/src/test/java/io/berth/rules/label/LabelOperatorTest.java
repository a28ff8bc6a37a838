package io.berth.rules.label;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LabelOperatorTest {

  @Test
  void everyOperator_isFoundByTheWordOfKubernetes() {
    assertThat(List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
        .extracting(word -> LabelOperator.ofNodeSelector(word).orElseThrow())
        .containsExactly(LabelOperator.values());
    assertThat(LabelOperator.ofNodeSelector("Equals")).isEmpty();
    assertThat(LabelOperator.ofNodeSelector(null)).isEmpty();
  }

  @Test
  void labelSelectors_haveNoBounds() {
    assertThat(LabelOperator.ofLabelSelector("NotIn")).contains(LabelOperator.NOT_IN);
    assertThat(LabelOperator.ofLabelSelector("Gt")).isEmpty();
    assertThat(LabelOperator.ofLabelSelector("Lt")).isEmpty();
    assertThat(LabelOperator.ofLabelSelector(null)).isEmpty();
  }

  @Test
  void listedValues_areCompared() {
    assertThat(LabelOperator.IN.holds("a", List.of("a", "b"))).isTrue();
    assertThat(LabelOperator.IN.holds("c", List.of("a", "b"))).isFalse();
    assertThat(LabelOperator.NOT_IN.holds("a", List.of("a", "b"))).isFalse();
    assertThat(LabelOperator.NOT_IN.holds("c", List.of("a", "b"))).isTrue();
    assertThat(LabelOperator.EXISTS.holds("", List.of())).isTrue();
    assertThat(LabelOperator.DOES_NOT_EXIST.holds("", List.of())).isFalse();
  }

  @Test
  void absentLabel_satisfiesTheNegativeOperatorsOnly() {
    assertThat(LabelOperator.values())
        .filteredOn(operator -> operator.holds(null, List.of("1")))
        .containsExactly(LabelOperator.NOT_IN, LabelOperator.DOES_NOT_EXIST);
  }

  @Test
  void everyOperator_acceptsItsNumberOfValues_andIsWrittenAsItIsRead() {
    for (LabelOperator operator : LabelOperator.values()) {
      assertThat(LabelOperator.ofNodeSelector(operator.written())).contains(operator);
    }
    assertThat(LabelOperator.values())
        .filteredOn(operator -> operator.accepts(0))
        .containsExactly(LabelOperator.EXISTS, LabelOperator.DOES_NOT_EXIST);
    assertThat(LabelOperator.values())
        .filteredOn(operator -> operator.accepts(1))
        .containsExactly(
            LabelOperator.IN,
            LabelOperator.NOT_IN,
            LabelOperator.GREATER_THAN,
            LabelOperator.LESS_THAN);
    assertThat(LabelOperator.values())
        .filteredOn(operator -> operator.accepts(2))
        .containsExactly(LabelOperator.IN, LabelOperator.NOT_IN);
  }

  @Test
  void bounds_areIntegers() {
    assertThat(LabelOperator.values())
        .filteredOn(LabelOperator::isBound)
        .containsExactly(LabelOperator.GREATER_THAN, LabelOperator.LESS_THAN);
    assertThat(LabelOperator.isInteger("-7")).isTrue();
    assertThat(LabelOperator.isInteger("7.5")).isFalse();
    assertThat(LabelOperator.isInteger("99999999999999999999")).isFalse();
  }

  @Test
  void bounds_compareIntegersOnly() {
    assertThat(LabelOperator.GREATER_THAN.holds("10", List.of("9"))).isTrue();
    assertThat(LabelOperator.GREATER_THAN.holds("9", List.of("9"))).isFalse();
    assertThat(LabelOperator.LESS_THAN.holds("-1", List.of("0"))).isTrue();
    assertThat(LabelOperator.LESS_THAN.holds("one", List.of("2"))).isFalse();
    assertThat(LabelOperator.LESS_THAN.holds("1", List.of("two"))).isFalse();
    assertThat(LabelOperator.GREATER_THAN.holds("1", List.of())).isFalse();
    assertThat(LabelOperator.GREATER_THAN.holds("99999999999999999999", List.of("1"))).isFalse();
  }
}
