package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.quantity.Amount;
import java.util.List;
import java.util.Optional;

/** Validation of quantities, with the API server's messages. */
final class Quantities {
  private static final String WORDS =
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

  private Quantities() {}

  /** Checks that the quantities in a map of resources are valid and not negative. */
  static void validateList(JsonNode resources, String path, List<FieldError> errors) {
    resources
        .properties()
        .forEach(
            entry -> {
              String at = path + "[" + entry.getKey() + "]";
              Optional<Amount> amount = Amount.read(entry.getValue());
              if (amount.isEmpty()) {
                errors.add(FieldError.invalid(at, entry.getValue().asText(), WORDS));
              } else if (amount.get().compareTo(Amount.ZERO) < 0) {
                errors.add(
                    FieldError.invalid(
                        at, entry.getValue().asText(), "must be greater than or equal to 0"));
              }
            });
  }
}
