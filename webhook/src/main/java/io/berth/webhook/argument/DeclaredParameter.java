package io.berth.webhook.argument;

import com.google.re2j.Pattern;
import io.berth.crds.ParameterType;
import java.util.List;
import java.util.Optional;

/**
 * A valid declaration of one parameter of a config. Values are a String, Long, Boolean, or List of
 * String, depending on the type.
 *
 * @param name an identifier: letters, digits and underscores, not starting with a digit
 * @param type the type of its arguments
 * @param required whether an argument is required
 * @param defaultValue the value used if the argument is absent; always one that the parameter
 *     accepts
 * @param accepted the accepted values, or accepted items of a list; empty if any value is accepted
 * @param pattern the pattern that a string, or each item of a list, must match as a whole
 * @param minimum the smallest accepted integer
 * @param maximum the greatest accepted integer
 */
public record DeclaredParameter(
    String name,
    ParameterType type,
    boolean required,
    Optional<Object> defaultValue,
    List<Object> accepted,
    Optional<Pattern> pattern,
    Optional<Long> minimum,
    Optional<Long> maximum) {

  public DeclaredParameter {
    accepted = List.copyOf(accepted);
  }

  /**
   * Returns the implicit parameter for a name that a template uses if its config declares no
   * parameters.
   */
  static DeclaredParameter requiredString(String name) {
    return new DeclaredParameter(
        name,
        ParameterType.STRING,
        true,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /**
   * Returns whether an empty string is a valid argument: it is in the enum, is the default, or
   * matches the pattern. Otherwise an empty string counts as absent, because in a toleration or a
   * selector it would match everything.
   */
  boolean takesEmpty() {
    if (!accepted.isEmpty()) {
      return accepted.contains("");
    }
    return pattern.map(each -> each.matches("")).orElse(false)
        || defaultValue.map(""::equals).orElse(false);
  }

  DeclaredParameter withDefault(Object value) {
    return new DeclaredParameter(
        name, type, required, Optional.of(value), accepted, pattern, minimum, maximum);
  }
}
