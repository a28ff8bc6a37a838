package io.berth.engine.model;

import io.berth.rules.RootName;
import java.util.Map;
import java.util.Optional;

/**
 * Hashes by which the pods of a workload are rolled out together: all pods of a group, or of a root
 * owner such as a Deployment, have the same hash. Root owners are derived from the names that
 * Kubernetes controllers generate, so that the hash does not depend on what else is known.
 */
public final class WorkloadHash {
  private static final int SEED = 0x811c9dc5; // the offset basis of FNV-1a
  private static final int PRIME = 0x01000193;
  private static final int HUNDRED = 100;

  private WorkloadHash() {}

  /** Returns the hash of a pod's group, or else of its root owner, or else of the pod. */
  public static int of(
      PodRef pod,
      Map<String, String> labels,
      Optional<Controller> controller,
      Optional<GroupMembership> membership) {
    int hash = add(SEED, pod.namespace());
    if (membership.isPresent()) {
      return add(add(hash, "Group"), membership.get().group().name());
    }
    if (controller.isEmpty()) {
      return add(add(hash, "Pod"), pod.name());
    }
    String name = controller.get().name();
    RootName root =
        RootName.of(controller.get().kind(), name, labels.getOrDefault(RootName.TEMPLATE_HASH, ""));
    return add(add(hash, root.kind()), name, root.length());
  }

  /**
   * Returns whether a hash is among the first percents of all hashes. A higher percentage includes
   * all hashes of a lower one.
   *
   * @param percent 0 to 100
   * @param salt leads to another order of the hashes
   */
  public static boolean isAmong(int percent, String salt, int hash) {
    return isAmong(percent, add(hash, salt));
  }

  /** Returns whether a hash, of whatever quality, is among the first percents of all hashes. */
  public static boolean isAmong(int percent, int hash) {
    int mixed = (hash ^ (hash >>> 16)) * 0x85ebca6b; // the finalizer of MurmurHash3
    mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
    return Integer.remainderUnsigned(mixed ^ (mixed >>> 16), HUNDRED) < percent;
  }

  private static int add(int hash, String text) {
    return add(hash, text, text.length());
  }

  private static int add(int hash, String text, int length) {
    int next = hash;
    for (int i = 0; i < length; i++) {
      next = (next ^ text.charAt(i)) * PRIME;
    }
    return next * PRIME; // as after a character 0, which no name has
  }
}
