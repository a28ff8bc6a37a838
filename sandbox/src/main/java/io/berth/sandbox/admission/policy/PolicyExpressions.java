package io.berth.sandbox.admission.policy;

import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import io.berth.sandbox.cel.Expressions;
import io.berth.sandbox.cel.Expressions.Expression;
import io.berth.sandbox.cel.RequestType;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A compiler of the expressions of ValidatingAdmissionPolicies. Only the request has a declared
 * type, and {@code authorizer} is not declared.
 */
public final class PolicyExpressions {
  static final String VARIABLES = "variables";

  private static final Map<String, CelType> OF_CONDITIONS =
      Map.of(
          "object", SimpleType.DYN,
          "oldObject", SimpleType.DYN,
          "request", RequestType.type(),
          "namespaceObject", SimpleType.DYN,
          "params", SimpleType.DYN);
  private static final Expressions CONDITIONS =
      Expressions.over(OF_CONDITIONS, Optional.of(RequestType.provider()));
  private static final Expressions VALIDATIONS =
      Expressions.over(withVariables(), Optional.of(RequestType.provider()));

  private PolicyExpressions() {}

  private static Map<String, CelType> withVariables() {
    Map<String, CelType> all = new HashMap<>(OF_CONDITIONS);
    all.put(VARIABLES, SimpleType.DYN);
    return all;
  }

  /**
   * Compiles a match condition.
   *
   * @throws CelValidationException if it does not parse or type-check
   */
  public static Expression condition(String text) throws CelValidationException {
    return CONDITIONS.compile(text, SimpleType.BOOL);
  }

  /**
   * Compiles a variable, a validation, or the message of a validation.
   *
   * @throws CelValidationException if it does not parse or type-check
   */
  public static Expression expression(String text) throws CelValidationException {
    return VALIDATIONS.compile(text, SimpleType.DYN);
  }
}
