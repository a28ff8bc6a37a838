package io.berth.rules;

/**
 * The root owner of a pod as far as the name of its controller tells: Kubernetes' controllers
 * generate the names of the objects in between. A Deployment's ReplicaSet is called {@code
 * <deployment>-<pod-template-hash>}, with the hash in the pod's labels; a CronJob's Job is called
 * {@code <cronjob>-<minutes since 1970>}, eight digits until the year 2160. A Job that a user
 * creates with such a name is mistaken for a CronJob's.
 *
 * @param kind the kind of the root owner
 * @param length the length of its name, with which that of the controller begins
 */
public record RootName(String kind, int length) {
  /** The label of a Deployment's pods with the hash. */
  public static final String TEMPLATE_HASH = "pod-template-hash";

  private static final int MINUTES = 8;

  /**
   * Returns the root owner.
   *
   * @param kind the kind of the pod's controller
   * @param templateHash the value of the pod's label {@link #TEMPLATE_HASH}; empty if it has none
   */
  public static RootName of(String kind, String name, String templateHash) {
    if (kind.equals("ReplicaSet") && !templateHash.isEmpty()) {
      int length = name.length() - templateHash.length() - 1;
      if (length > 0 && name.charAt(length) == '-' && name.endsWith(templateHash)) {
        return new RootName("Deployment", length);
      }
    }
    return kind.equals("Job") && endsWithMinutes(name)
        ? new RootName("CronJob", name.length() - MINUTES - 1)
        : new RootName(kind, name.length());
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
}
