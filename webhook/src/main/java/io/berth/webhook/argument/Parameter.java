package io.berth.webhook.argument;

import com.google.re2j.Pattern;
import java.util.List;
import java.util.Optional;

/**
 * One parameter of a config, checked and ready to check arguments.
 *
 * @param name an identifier: letters, digits and underscores, not starting with a digit
 * @param type what arguments must be
 * @param required whether an argument must be given
 * @param defaultValue what an absent argument is taken for: of the parameter's own type, and
 *     accepted by it
 * @param accepted the values that are accepted; for a list, of each item. Empty: any
 * @param pattern what a string, or each item of a list, must match as a whole
 * @param minimum the least integer that is accepted
 * @param maximum the greatest integer that is accepted
 */
public record Parameter(
    String name,
    ParameterType type,
    boolean required,
    Optional<Object> defaultValue,
    List<Object> accepted,
    Optional<Pattern> pattern,
    Optional<Long> minimum,
    Optional<Long> maximum) {

  public Parameter {
    accepted = List.copyOf(accepted);
  }

  /** A string that must be given: what a name is that a template uses and nobody declares. */
  static Parameter requiredString(String name) {
    return new Parameter(
        name,
        ParameterType.STRING,
        true,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }
}
