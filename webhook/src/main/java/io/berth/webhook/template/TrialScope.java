package io.berth.webhook.template;

import io.berth.crds.ParameterType;
import io.berth.webhook.affinity.Undetermined;
import io.berth.webhook.argument.DeclaredParameter;
import io.berth.webhook.argument.Parameters;
import java.util.Map;

/**
 * The values for a trial rendering: all properties of the pod are undetermined, and all arguments
 * except for the assumed ones.
 *
 * @param parameters the parameters of the config
 * @param assumed the assumed arguments of some of them, by name
 */
record TrialScope(Parameters parameters, Map<String, Object> assumed) implements Scope {

  private static final Undetermined STRING = new Undetermined(ParameterType.STRING);

  @Override
  public Object argument(String name) {
    Object value = assumed.get(name);
    return value == null ? new Undetermined(typeOf(name)) : value;
  }

  @Override
  public ParameterType typeOf(String name) {
    return parameters.named(name).map(DeclaredParameter::type).orElse(ParameterType.STRING);
  }

  @Override
  public Object pod(Expression.PodField.Field field) {
    return STRING;
  }

  @Override
  public Object podEntry(boolean label, String key) {
    return STRING;
  }
}
