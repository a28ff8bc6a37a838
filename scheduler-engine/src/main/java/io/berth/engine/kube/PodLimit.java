package io.berth.engine.kube;

/**
 * The maximum length of each kind of list in a pod. The API server limits most lists only by the
 * size of the object. Each entry adds cost to every decision about the pod, and terms also to
 * decisions about others. Real pods stay far below the limits.
 */
enum PodLimit {
  CONTAINERS(500),
  RESOURCES(60),
  VOLUMES(500),
  HOST_PORTS(500),
  TOLERATIONS(200),
  NODE_SELECTOR_PAIRS(200),
  NODE_TERMS(100),
  AFFINITY_TERMS(100),
  SPREAD_CONSTRAINTS(50),
  NAMESPACES(1_000),
  SELECTOR_REQUIREMENTS(200),
  SELECTOR_VALUES(10_000),
  GATES(100),
  RESOURCE_CLAIMS(100);

  private final int most;

  PodLimit(int most) {
    this.most = most;
  }

  int most() {
    return most;
  }

  /** Rejects a list that is too long. */
  void check(int size, String where) {
    if (size > most) {
      throw exceeded(size, where);
    }
  }

  /** Returns the rejection of a list of this size. */
  RefusedException exceeded(int size, String where) {
    return new RefusedException(
        where + " has " + size + " entries; the limit is " + most + ": shorten the list");
  }
}
