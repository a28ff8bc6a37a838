package io.berth.webhook.binding;

import io.berth.crds.ConfigStatus;
import io.berth.webhook.template.Compilation;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.Optional;

/**
 * A NodeSchedulerConfig or PodSchedulerConfig in the catalog.
 *
 * @param revision its generation, as written to statuses and to the annotation {@code applied} of
 *     pods
 * @param compilation its compiled templates, or their problems
 * @param source the object in this revision
 * @param newer a newer revision that is rendered into the pods of a part of the workloads
 */
public record ServedConfig(
    TemplateKind kind,
    String name,
    String revision,
    Compilation compilation,
    NamespaceRule allowedNamespaces,
    CustomResource<?, ConfigStatus> source,
    Optional<Newer> newer) {

  /**
   * A newer revision.
   *
   * @param percent the percentage of the workloads
   * @param salt selects the workloads; the same one during a rollout
   */
  public record Newer(ServedConfig config, int percent, String salt) {
    /** Returns whether the newer revision is rendered into the pods of a workload. */
    public boolean includes(String namespace, Owner workload) {
      return RolloutShare.reaches(percent, salt, namespace, workload);
    }
  }

  /** Returns the same revision beside a newer one, which applies to a part of the workloads. */
  ServedConfig beside(ServedConfig latest, int percent, String salt) {
    return new ServedConfig(
        kind,
        name,
        revision,
        compilation,
        allowedNamespaces,
        source,
        percent == 0 ? Optional.empty() : Optional.of(new Newer(latest, percent, salt)));
  }
}
