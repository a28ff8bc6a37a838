package io.berth.demo.cluster;

import io.berth.crds.SchedulerConfigBinding;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;

/**
 * A SchedulingPolicy with default algorithms, named like a namespace, and a SchedulerConfigBinding
 * that assigns it to all pods in the namespace.
 */
public record NamespacePolicy(KubernetesClient admin, String namespace) {
  private static final String BINDING = "all";

  /**
   * Returns both objects.
   *
   * @param podOverrides {@code podOverrides} of the binding, {@code Allow} or {@code Deny}
   */
  public List<HasMetadata> objects(String podOverrides) {
    return List.of(
        admin
            .resource(
                """
                apiVersion: sched.cloud.ctrip.com/v1
                kind: SchedulingPolicy
                metadata: {name: %s}
                spec: {}
                """
                    .formatted(namespace))
            .item(),
        admin
            .resource(
                """
                apiVersion: sched.cloud.ctrip.com/v1
                kind: SchedulerConfigBinding
                metadata: {namespace: %s, name: %s}
                spec: {schedulingPolicy: %s, podOverrides: %s}
                """
                    .formatted(namespace, BINDING, namespace, podOverrides))
            .item());
  }

  /** Returns whether the binding has a status. */
  public boolean isReported() {
    return admin
            .resources(SchedulerConfigBinding.class)
            .inNamespace(namespace)
            .withName(BINDING)
            .require()
            .getStatus()
        != null;
  }
}
