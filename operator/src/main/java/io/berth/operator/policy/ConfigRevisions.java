package io.berth.operator.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.ConfigStatus;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.NodeSchedulerConfigSpec;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.PodSchedulerConfigSpec;
import io.berth.webhook.rollout.SpecHash;
import io.berth.webhook.rollout.SpecRevision;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The last complete revision of each config whose changes are rolled out in steps, stored for
 * replicas that start during a rollout; and the one before it.
 */
public final class ConfigRevisions {
  /** Without nulls, so that a user can apply what is stored. */
  private static final ObjectMapper JSON =
      new ObjectMapper().setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);

  private static final String NODE_LABEL = "sched.cloud.ctrip.com/complete-node-config";
  private static final String POD_LABEL = "sched.cloud.ctrip.com/complete-pod-config";
  private static final String NAME_ANNOTATION = "sched.cloud.ctrip.com/config-name";

  private final RevisionObjects nodeConfigs;
  private final RevisionObjects podConfigs;

  public ConfigRevisions(KubernetesClient client, String namespace) {
    nodeConfigs =
        new RevisionObjects(client, namespace, NODE_LABEL, NAME_ANNOTATION, "node-config");
    podConfigs = new RevisionObjects(client, namespace, POD_LABEL, NAME_ANNOTATION, "pod-config");
  }

  /** Loads the newest stored revision of each config. */
  public List<CustomResource<?, ConfigStatus>> load() {
    List<CustomResource<?, ConfigStatus>> configs = new ArrayList<>();
    configs.addAll(load(nodeConfigs, NodeSchedulerConfigSpec.class, NodeSchedulerConfig::new));
    configs.addAll(load(podConfigs, PodSchedulerConfigSpec.class, PodSchedulerConfig::new));
    return configs;
  }

  private static <S, C extends CustomResource<S, ConfigStatus>> List<C> load(
      RevisionObjects objects, Class<S> type, Supplier<C> blank) {
    List<C> configs = new ArrayList<>();
    objects
        .newest()
        .forEach(
            (name, kept) ->
                spec(kept, type).ifPresent(spec -> configs.add(of(blank.get(), name, kept, spec))));
    return configs;
  }

  /** Stores a complete revision. */
  public void keep(CustomResource<?, ConfigStatus> config) {
    boolean isOfNodes = config instanceof NodeSchedulerConfig;
    OwnerReference owner = PolicySources.owner(config);
    (isOfNodes ? nodeConfigs : podConfigs)
        .keep(
            new RevisionObjects.Revision(
                config.getMetadata().getName(),
                String.valueOf(config.getMetadata().getGeneration()),
                JSON.convertValue(config.getSpec(), Object.class),
                SpecHash.of(config.getSpec()),
                owner),
            kept -> spec(kept, config.getSpec().getClass()).map(SpecHash::of));
  }

  private static <S, C extends CustomResource<S, ConfigStatus>> C of(
      C config, String name, ControllerRevision kept, S spec) {
    config.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .withUid(RevisionObjects.owner(kept).orElseThrow().getUid())
            .withGeneration(SpecRevision.generation(RevisionObjects.revision(kept)))
            .build());
    config.setSpec(spec);
    return config;
  }

  private static <S> Optional<S> spec(ControllerRevision kept, Class<S> type) {
    return RevisionObjects.spec(kept, type, "config");
  }
}
