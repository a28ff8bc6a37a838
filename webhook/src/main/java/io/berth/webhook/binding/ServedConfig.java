package io.berth.webhook.binding;

import io.berth.crds.ConfigStatus;
import io.berth.rules.label.NamespaceAccess;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.template.Compilation;
import io.berth.webhook.template.CompiledTemplate;
import io.berth.webhook.template.InvalidTemplate;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.List;
import java.util.Optional;

/**
 * A NodeSchedulerConfig or PodSchedulerConfig in the catalog.
 *
 * @param revision its generation, as written to statuses and to the annotation {@code applied} of
 *     pods
 * @param compilation its compiled templates, or their problems
 * @param source the object in this revision
 * @param newer a newer revision that is rendered into the pods of a part of the workloads
 * @param isConfirmed whether this revision is known to be the last complete one, or the object has
 *     no rollout
 */
public record ServedConfig(
    TemplateKind kind,
    String name,
    String revision,
    Compilation compilation,
    NamespaceAccess allowedNamespaces,
    CustomResource<?, ConfigStatus> source,
    Optional<Newer> newer,
    boolean isConfirmed) {

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

  /** Reads configs from the revisions of their objects. */
  static final RolledObjects.Reading<ServedConfig> READING =
      new RolledObjects.Reading<>() {
        @Override
        public ServedConfig entry(CustomResource<?, ?> object) {
          return CatalogEntries.ofConfig(object);
        }

        @Override
        public boolean isUsable(ServedConfig config) {
          return config.compilation() instanceof CompiledTemplate;
        }

        @Override
        public ServedConfig beside(
            ServedConfig stable,
            ServedConfig latest,
            int percent,
            String salt,
            boolean isConfirmed) {
          return stable.with(
              stable.compilation,
              percent == 0 ? Optional.empty() : Optional.of(new Newer(latest, percent, salt)),
              isConfirmed);
        }

        @Override
        public ServedConfig unconfirmed(ServedConfig latest) {
          return latest.with(latest.compilation, Optional.empty(), false);
        }

        @Override
        public ServedConfig withdrawn(ServedConfig latest) {
          return latest.with(
              new InvalidTemplate(
                  List.of(
                      new Problem(
                          ErrorCode.CONFIG_BROKEN,
                          "status.rollout",
                          "revision %s was withdrawn, and the stored last complete revision cannot be read: apply its spec again"
                              .formatted(latest.revision)))),
              Optional.empty(),
              false);
        }
      };

  private ServedConfig with(
      Compilation changed, Optional<Newer> beside, boolean isTheLastComplete) {
    return new ServedConfig(
        kind, name, revision, changed, allowedNamespaces, source, beside, isTheLastComplete);
  }
}
