package io.berth.webhook.binding;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.Annotations;
import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.ConfigReference;
import io.berth.webhook.argument.ArgumentParser;
import io.berth.webhook.argument.ArgumentsByConfig;
import io.berth.webhook.argument.GivenArguments;
import io.berth.webhook.argument.NamedConfigs;
import io.berth.webhook.template.TemplateKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the configs that a pod's own annotations name, in the form that bindings use. */
final class AnnotatedConfigs {
  private AnnotatedConfigs() {}

  /** Returns the configs of one field; empty if the annotations cannot be parsed. */
  static Optional<List<ConfigReference>> of(PodSubject pod, BindingField field) {
    boolean node = field == BindingField.NODE_CONFIGS;
    String names = node ? Annotations.NSC : Annotations.PSC;
    String args = node ? Annotations.NSC_ARGS : Annotations.PSC_ARGS;
    String kind = (node ? TemplateKind.NODE : TemplateKind.POD).kind();
    ArgumentParser parser = new ArgumentParser();
    if (!(parser.names(names, pod.annotation(names).orElse("")) instanceof NamedConfigs named)
        || !(parser.parse(kind, args, pod.annotation(args), named.names())
            instanceof ArgumentsByConfig given)) {
      return Optional.empty();
    }
    List<ConfigReference> references = new ArrayList<>();
    for (String name : named.names()) {
      Map<String, JsonNode> values = new HashMap<>();
      GivenArguments ofConfig = given.byConfig().get(name);
      if (ofConfig != null) {
        ofConfig.tree().properties().forEach(each -> values.put(each.getKey(), each.getValue()));
      }
      references.add(new ConfigReference(name, values));
    }
    return Optional.of(references);
  }
}
