package io.berth.webhook.binding;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.ConfigReference;
import io.berth.rules.label.NamespaceAccess;
import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.GivenArguments;
import io.berth.webhook.template.CompiledTemplate;
import io.berth.webhook.template.TemplateKind;
import java.util.Optional;

/**
 * Checks whether everything that a binding names exists, is valid, is allowed in a namespace, and
 * accepts the binding's arguments. A binding with one reference that does not hold is not applied
 * at all. What depends on the single pod, such as the size of the result, is not checked.
 */
final class BindingReferences {
  private final ConfigCatalog catalog;
  private final String namespace;

  BindingReferences(ConfigCatalog catalog, String namespace) {
    this.catalog = catalog;
    this.namespace = namespace;
  }

  /** Returns whether all references of the binding hold. */
  boolean allHold(BoundBinding binding) {
    return Optional.ofNullable(binding.spec().schedulingPolicy())
            .map(this::policyHolds)
            .orElse(true)
        && Optional.ofNullable(binding.spec().queue())
            .map(queue -> catalog.admits(queue, namespace))
            .orElse(true)
        && binding.configs(BindingField.NODE_CONFIGS).stream()
            .allMatch(reference -> holds(TemplateKind.NODE, reference))
        && binding.configs(BindingField.POD_CONFIGS).stream()
            .allMatch(reference -> holds(TemplateKind.POD, reference));
  }

  /** Returns whether a policy exists, can be used, and is allowed in the namespace. */
  boolean policyHolds(String name) {
    return catalog
        .policy(name)
        .filter(policy -> catalog.obstacle(policy).isEmpty())
        .filter(policy -> isAllowed(policy.allowedNamespaces()))
        .isPresent();
  }

  private boolean holds(TemplateKind kind, ConfigReference reference) {
    return catalog
        .config(kind, reference.name())
        .filter(config -> isAllowed(config.allowedNamespaces()))
        .filter(config -> accepts(config, reference))
        .isPresent();
  }

  private static boolean accepts(ServedConfig config, ConfigReference reference) {
    ObjectNode arguments = JsonNodeFactory.instance.objectNode();
    reference.args().forEach(arguments::set);
    return config.compilation() instanceof CompiledTemplate template
        && template.parameters().check(new GivenArguments(config.name(), "args", arguments))
            instanceof Arguments;
  }

  private boolean isAllowed(NamespaceAccess allowed) {
    return catalog.allows(allowed, namespace);
  }
}
