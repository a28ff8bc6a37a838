package io.berth.webhook.template;

import io.berth.crds.ParameterType;
import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.DeclaredParameter;
import io.berth.webhook.argument.Parameters;
import java.util.Optional;

/** The values for rendering a template for one pod. */
record PodScope(Parameters parameters, Arguments arguments, PodFacts facts) implements Scope {

  @Override
  public Object argument(String name) {
    Optional<Object> value = arguments.value(name);
    return value.isPresent() ? value.get() : Missing.VALUE;
  }

  @Override
  public ParameterType typeOf(String name) {
    return parameters.named(name).map(DeclaredParameter::type).orElse(ParameterType.STRING);
  }

  @Override
  public Object pod(Expression.PodField.Field field) {
    String value =
        switch (field) {
          case NAMESPACE -> facts.namespace();
          case OWNER_KIND -> facts.ownerKind();
          case OWNER_NAME -> facts.ownerName();
        };
    return value.isEmpty() ? Missing.VALUE : value;
  }

  @Override
  public Object podEntry(boolean label, String key) {
    String value = (label ? facts.labels() : facts.annotations()).get(key);
    return value == null ? Missing.VALUE : value;
  }
}
