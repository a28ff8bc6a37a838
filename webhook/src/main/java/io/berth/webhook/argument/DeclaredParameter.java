package io.berth.webhook.argument;

import com.google.re2j.Pattern;
import io.berth.crds.ParameterType;
import java.util.List;
import java.util.Optional;

/**
 * One parameter of a config, found to be well declared. Values are String, Long, Boolean or List of
 * String, after the type.
 *
 * @param name an identifier: letters, digits and underscores, not starting with a digit
 * @param type what arguments must be
 * @param required whether an argument must be given
 * @param defaultValue what an absent argument is taken for; the parameter accepts it
 * @param accepted the values that are accepted; for a list, of each item. Empty: any
 * @param pattern what a string, or each item of a list, must match as a whole
 * @param minimum the least integer that is accepted
 * @param maximum the greatest integer that is accepted
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
   * Returns whether an empty string is a value: its enum or default says so, or its pattern matches
   * it. Elsewhere an empty string counts as no argument, since in a toleration or a selector it
   * would stand for everything.
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
