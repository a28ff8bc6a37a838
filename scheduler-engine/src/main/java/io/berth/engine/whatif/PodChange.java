package io.berth.engine.whatif;

import io.berth.engine.model.PodModel;

/** The effect of a change on one pod that is created again, before a node is searched for it. */
public sealed interface PodChange {
  /** The change does not concern the pod. */
  record NotConcerned() implements PodChange {}

  /** The change concerns the pod, which would be created, or denied, as today. */
  record Unchanged() implements PodChange {}

  /** It is not known what the pod was before anything was rendered into it. */
  record UnknownOrigin() implements PodChange {}

  /** There was no time to find out what the change means for the pod. */
  record NotFoundOut() implements PodChange {}

  /**
   * The pod would be created, and would be denied today.
   *
   * @param after the pod if it were created after the change
   */
  record Admitted(PodModel after) implements PodChange {}

  /**
   * The pod would be denied, and is not today.
   *
   * @param message why it would be denied
   */
  record Denied(String message) implements PodChange {}

  /**
   * The pod would be decided about otherwise.
   *
   * @param today the pod if it were created now
   * @param after the pod if it were created after the change
   */
  record Changed(PodModel today, PodModel after) implements PodChange {
    /**
     * Returns the change of a pod that differs only in what can be rendered into it: the scheduler,
     * the policy, labels, the group, queues, node affinity, tolerations, pod affinity, and topology
     * spread constraints.
     *
     * @param pod the pod that exists
     * @param today a pod with what would be rendered now
     * @param after a pod with what would be rendered after the change
     */
    public static Changed rendered(PodModel pod, PodModel today, PodModel after) {
      return new Changed(ofRendered(pod, today), ofRendered(pod, after));
    }
  }

  /**
   * Returns the change of a pod that would be denied today, and differs only in what can be
   * rendered into it.
   *
   * @param pod the pod that exists
   * @param after a pod with what would be rendered after the change
   */
  static Admitted admitted(PodModel pod, PodModel after) {
    return new Admitted(ofRendered(pod, after));
  }

  private static PodModel ofRendered(PodModel pod, PodModel rendered) {
    return PodVariant.of(pod).rendered(rendered).build();
  }
}
