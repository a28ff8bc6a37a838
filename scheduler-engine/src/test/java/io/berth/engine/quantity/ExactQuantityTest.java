package io.berth.engine.quantity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExactQuantityTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0",
    "-0, 0, 0",
    "00.000, 0, 0",
    "1, 1000, 1",
    "+1, 1000, 1",
    "100m, 100, 1",
    "0.1, 100, 1",
    ".1, 100, 1",
    "1., 1000, 1",
    "1500m, 1500, 2",
    "0.5m, 1, 1",
    "1n, 1, 1",
    "1u, 1, 1",
    "0.1n, 1, 1",
    "1e-30, 1, 1",
    "0.00000000000000000001, 1, 1",
    "999999999n, 1000, 1",
    "1000000001n, 1001, 2",
    "128974848, 128974848000, 128974848",
    "129e6, 129000000000, 129000000",
    "129E6, 129000000000, 129000000",
    "129M, 129000000000, 129000000",
    "123Mi, 128974848000, 128974848",
    "1.5Gi, 1610612736000, 1610612736",
    "0.1Ki, 102400, 103",
    "1Ei, 9223372036854775807, 1152921504606846976",
    "8Ei, 9223372036854775807, 9223372036854775807",
    "7.9999Ei, 9223372036854775807, 9223256744704315124",
    "9E, 9223372036854775807, 9000000000000000000",
    "10E, 9223372036854775807, 9223372036854775807",
    "1e999999999, 9223372036854775807, 9223372036854775807",
    "9223372036854775807, 9223372036854775807, 9223372036854775807",
    "9223372036854775808, 9223372036854775807, 9223372036854775807",
    "1234567890123456789012345678901234567890, 9223372036854775807, 9223372036854775807",
    "0.1234567890123456789012345678901234567890, 124, 1",
  })
  void parse_roundsUpToMillisAndUnits(String text, long millis, long units) {
    ExactQuantity quantity = ExactQuantity.parse(text);

    assertThat(quantity.millis()).isEqualTo(millis);
    assertThat(quantity.units()).isEqualTo(units);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        ".",
        "-",
        "m",
        "1 ",
        " 1",
        "1mm",
        "1KI",
        "1ki",
        "1K",
        "1e",
        "1ee3",
        "1e3m",
        "1e+",
        "1E-",
        "1..2",
        "1.2.3",
        "0x10",
        "1,5",
        "NaN",
        "1Zi",
        "1e9999999999",
        "--1",
        "1m5"
      })
  void parse_whatIsNoQuantity_isRefusedWithTheText(String text) {
    assertThatThrownBy(() -> ExactQuantity.parse(text))
        .isInstanceOf(QuantityFormatException.class)
        .hasMessageContaining(text.isEmpty() ? "1 to 128 characters" : "'" + text + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "-100m", "-1e-30", "-1Gi"})
  void parse_negative_isRefused(String text) {
    assertThatThrownBy(() -> ExactQuantity.parse(text))
        .isInstanceOf(QuantityFormatException.class)
        .hasMessageContaining("negative");
  }

  @Test
  void parse_endlessText_isRefused() {
    assertThatThrownBy(() -> ExactQuantity.parse("1".repeat(100_000)))
        .isInstanceOf(QuantityFormatException.class)
        .hasMessageContaining("100000");
  }

  @Test
  void plus_roundsOnceAtTheEnd() {
    ExactQuantity third = ExactQuantity.parse("0.3m");

    assertThat(third.millis()).isEqualTo(1);
    assertThat(third.plus(third).plus(third).plus(third).millis()).isEqualTo(2);
  }

  @Test
  void plus_isHeldAtTheLargestAmount() {
    assertThat(ExactQuantity.parse("5E").plus(ExactQuantity.parse("5E")))
        .isEqualTo(ExactQuantity.MAX);
    assertThat(ExactQuantity.MAX.plus(new ExactQuantity(0, 1)).units()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void compareTo_looksAtNanosLast() {
    assertThat(ExactQuantity.parse("1.5")).isGreaterThan(ExactQuantity.parse("1400m"));
    assertThat(ExactQuantity.parse("2").max(ExactQuantity.parse("1.5")))
        .isEqualTo(ExactQuantity.ofUnits(2));
  }

  @Test
  void parse_agreesWithDecimalArithmeticOnRandomText() {
    Random random = new Random(7);
    Map<String, BigDecimal> suffixes =
        Map.of(
            "n", BigDecimal.ONE.movePointLeft(9),
            "m", BigDecimal.ONE.movePointLeft(3),
            "", BigDecimal.ONE,
            "G", BigDecimal.ONE.movePointRight(9),
            "Ki", BigDecimal.valueOf(1 << 10),
            "Gi", BigDecimal.valueOf(1 << 30),
            "Ei", BigDecimal.valueOf(1L << 60),
            "e-5", BigDecimal.ONE.movePointLeft(5));
    for (int i = 0; i < 20_000; i++) {
      StringBuilder number = new StringBuilder();
      for (int d = random.nextInt(20); d >= 0; d--) {
        number.append((char) ('0' + random.nextInt(10)));
      }
      if (random.nextBoolean()) {
        number.insert(random.nextInt(number.length() + 1), '.');
      }
      for (Map.Entry<String, BigDecimal> suffix : suffixes.entrySet()) {
        BigInteger nanos =
            new BigDecimal(number.toString())
                .multiply(suffix.getValue())
                .movePointRight(9)
                .setScale(0, RoundingMode.UP)
                .toBigIntegerExact();
        BigInteger[] parts = nanos.divideAndRemainder(BigInteger.valueOf(1_000_000_000));
        ExactQuantity expected =
            parts[0].bitLength() > 63
                ? ExactQuantity.MAX
                : new ExactQuantity(parts[0].longValue(), parts[1].intValue());

        assertThat(ExactQuantity.parse(number + suffix.getKey()))
            .as(number + suffix.getKey())
            .isEqualTo(expected);
      }
    }
  }
}
