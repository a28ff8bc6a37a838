package io.berth.webhook.binding;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.webhook.legacy.LegacyObject;
import io.berth.webhook.rollout.SpecRevision;
import io.berth.webhook.template.TemplateCompiler;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Creates catalog entries from resources, and compiles their templates. Stateless and thread-safe.
 */
public final class CatalogEntries {
  private static final ObjectMapper JSON = new ObjectMapper();

  private CatalogEntries() {}

  /** Returns the catalog entry of one revision of a config. */
  static ServedConfig ofConfig(CustomResource<?, ?> config) {
    return switch (config) {
      case NodeSchedulerConfig node -> of(node);
      case PodSchedulerConfig pod -> of(pod);
      default -> throw new IllegalArgumentException("not a config: " + config.getKind());
    };
  }

  /** Returns the catalog entry of a NodeSchedulerConfig. */
  public static ServedConfig of(NodeSchedulerConfig config) {
    return new ServedConfig(
        TemplateKind.NODE,
        config.getMetadata().getName(),
        SpecRevision.nameOf(config),
        new TemplateCompiler().compile(TemplateKind.NODE, JSON.valueToTree(config.getSpec())),
        AccessReading.of(config.getSpec().allowedNamespaces()),
        config,
        Optional.empty(),
        true);
  }

  /** Returns the catalog entry of a PodSchedulerConfig. */
  public static ServedConfig of(PodSchedulerConfig config) {
    return new ServedConfig(
        TemplateKind.POD,
        config.getMetadata().getName(),
        SpecRevision.nameOf(config),
        new TemplateCompiler().compile(TemplateKind.POD, JSON.valueToTree(config.getSpec())),
        AccessReading.of(config.getSpec().allowedNamespaces()),
        config,
        Optional.empty(),
        true);
  }

  /** Returns the catalog entry of a SchedulingPolicy. */
  static ServedPolicy of(SchedulingPolicy policy, PolicyServing serving) {
    return new ServedPolicy(
        policy.getMetadata().getName(),
        uid(policy),
        SpecRevision.nameOf(policy),
        policy.getSpec().isDefault(),
        Optional.ofNullable(policy.getMetadata().getCreationTimestamp()).orElse(""),
        Optional.ofNullable(policy.getSpec().quotaGuard())
            .map(guard -> Set.copyOf(guard.priorityClasses()))
            .orElse(Set.of()),
        AccessReading.of(policy.getSpec().allowedNamespaces()),
        serving.flaw(policy));
  }

  /**
   * Returns the catalog entry of a ConfigMap with a legacy policy. Legacy policies are never the
   * default.
   */
  static ServedPolicy of(ConfigMap legacy, PolicyServing serving) {
    return new ServedPolicy(
        legacy.getMetadata().getName(),
        uid(legacy),
        "",
        false,
        Optional.ofNullable(legacy.getMetadata().getCreationTimestamp()).orElse(""),
        Set.of(),
        AccessReading.of(LegacyObject.allowedNamespaces(annotations(legacy))),
        serving.flaw(legacy));
  }

  private static Map<String, String> annotations(HasMetadata resource) {
    return Optional.ofNullable(resource.getMetadata().getAnnotations()).orElse(Map.of());
  }

  private static String uid(HasMetadata resource) {
    return Optional.ofNullable(resource.getMetadata().getUid()).orElse("");
  }
}
