package io.berth.sandbox.quantity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AmountTest {
  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "0.1, 100m",
    "1000m, 1",
    "1500m, 1500m",
    "1.5, 1500m",
    "1024, 1024",
    "1Ki, 1Ki",
    "1024Ki, 1Mi",
    "1.5Gi, 1536Mi",
    "0.5Ki, 512",
    "1000, 1k",
    "2500k, 2500k",
    "5e3, 5e3",
    "5000e0, 5e3",
    "0.0000000001, 1n",
    "-1500m, -1500m",
    "0Mi, 0"
  })
  void quantity_printsAsTheApiServerPrintsIt(String written, String canonical) {
    assertThat(Amount.read(written)).get().hasToString(canonical);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1x", "Ki", "1 Gi", "--1", "1ki", "1e", "e3", "1K"})
  void text_thatIsNoQuantity_isRefused(String written) {
    assertThat(Amount.read(written)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"500m, 500m, 1", "1Gi, 512Mi, 1536Mi", "0, 1Gi, 1Gi", "1, 24Mi, 25165825"})
  void sum_keepsTheNotationOfTheFirst(String left, String right, String sum) {
    assertThat(Amount.read(left).orElseThrow().plus(Amount.read(right).orElseThrow()))
        .hasToString(sum);
  }

  @ParameterizedTest
  @CsvSource({"1, 1000m", "1Ki, 1024", "2e3, 2k"})
  void amounts_areEqualByTheirNumber(String left, String right) {
    Amount one = Amount.read(left).orElseThrow();
    Amount other = Amount.read(right).orElseThrow();

    assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
  }
}
