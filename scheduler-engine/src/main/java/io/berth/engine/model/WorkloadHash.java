package io.berth.engine.model;

import java.util.Map;
import java.util.Optional;

/**
 * Hashes by which the pods of a workload are rolled out together: all pods of a group, or of a root
 * owner such as a Deployment, have the same hash. Root owners are derived from the names that
 * Kubernetes controllers generate, so that the hash does not depend on what else is known.
 */
public final class WorkloadHash {
  private static final String TEMPLATE_HASH = "pod-template-hash";

  /** The digits at the end of a CronJob's Job, minutes since 1970. */
  private static final int MINUTES = 8;

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
    String kind = controller.get().kind();
    String name = controller.get().name();
    int deployment = lengthWithout(labels.getOrDefault(TEMPLATE_HASH, ""), name);
    if (kind.equals("ReplicaSet") && deployment > 0) {
      return add(add(hash, "Deployment"), name, deployment);
    }
    if (kind.equals("Job") && endsWithMinutes(name)) {
      return add(add(hash, "CronJob"), name, name.length() - MINUTES - 1);
    }
    return add(add(hash, kind), name);
  }

  /**
   * Returns whether a hash is among the first percents of all hashes. A higher percentage includes
   * all hashes of a lower one.
   *
   * @param percent 0 to 100
   * @param salt leads to another order of the hashes
   */
  public static boolean isAmong(int percent, String salt, int hash) {
    int mixed = add(hash, salt);
    mixed = (mixed ^ (mixed >>> 16)) * 0x85ebca6b; // the finalizer of MurmurHash3
    mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
    return Integer.remainderUnsigned(mixed ^ (mixed >>> 16), HUNDRED) < percent;
  }

  /** Returns the length of the name without a suffix of this hash; 0 if it has none. */
  private static int lengthWithout(String suffix, String name) {
    int length = name.length() - suffix.length() - 1;
    boolean has =
        !suffix.isEmpty() && length > 0 && name.charAt(length) == '-' && name.endsWith(suffix);
    return has ? length : 0;
  }

  private static boolean endsWithMinutes(String name) {
    int begin = name.length() - MINUTES;
    if (begin < 2 || name.charAt(begin - 1) != '-') {
      return false;
    }
    for (int i = begin; i < name.length(); i++) {
      if (name.charAt(i) < '0' || name.charAt(i) > '9') {
        return false;
      }
    }
    return true;
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
