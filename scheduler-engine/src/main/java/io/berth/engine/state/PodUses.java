package io.berth.engine.state;

import io.berth.engine.journal.Journal;

/** Records which pods take resources and which were selected for eviction; both can be undone. */
final class PodUses {
  private final Journal journal;
  private UseListener listener = UseListener.NONE;

  PodUses(Journal journal) {
    this.journal = journal;
  }

  /** Sets the listener to pods that take or release resources. */
  void listen(UseListener to) {
    listener = to;
  }

  /** Notifies the listener of a pod whose model changed. */
  void changed(PodEntry pod) {
    listener.useChanged(pod);
  }

  /** Records that the pod takes resources, whether its node is known or not, or releases them. */
  void occupy(PodEntry pod, boolean occupies) {
    if (pod.occupies != occupies) {
      pod.occupies = occupies;
      if (journal.isOpen()) {
        journal.record(
            () -> {
              pod.occupies = !occupies;
              listener.useChanged(pod);
            });
      }
      listener.useChanged(pod);
    }
  }

  /** Records that the pod was selected for eviction, or that its eviction was rejected. */
  void choose(PodEntry pod, boolean asVictim) {
    if (pod.victim != asVictim) {
      pod.victim = asVictim;
      if (journal.isOpen()) {
        journal.record(
            () -> {
              pod.victim = !asVictim;
              listener.useChanged(pod);
            });
      }
      listener.useChanged(pod);
    }
  }
}
