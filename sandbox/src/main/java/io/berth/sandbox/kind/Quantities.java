package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.FieldError;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The syntax of quantities, with the API server's words. */
final class Quantities {
  private static final Pattern SYNTAX =
      Pattern.compile(
          "[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]+)?");
  private static final String WORDS =
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

  private Quantities() {}

  /** The amount; empty if it cannot be read. */
  static Optional<BigDecimal> read(JsonNode quantity) {
    String text = quantity.asText().strip();
    return SYNTAX.matcher(text).matches()
        ? Optional.of(Quantity.getAmountInBytes(new Quantity(text)))
        : Optional.empty();
  }

  /** Checks a map of resources to quantities: readable, not negative. */
  static void validateList(JsonNode resources, String path, List<FieldError> errors) {
    resources
        .properties()
        .forEach(
            entry -> {
              String at = path + "[" + entry.getKey() + "]";
              Optional<BigDecimal> amount = read(entry.getValue());
              if (amount.isEmpty()) {
                errors.add(FieldError.invalid(at, entry.getValue().asText(), WORDS));
              } else if (amount.get().signum() < 0) {
                errors.add(
                    FieldError.invalid(
                        at, entry.getValue().asText(), "must be greater than or equal to 0"));
              }
            });
  }
}
