package io.berth.engine.kube;

/**
 * The longest list of each kind that a pod may come with. The API server has hardly any such limit
 * but the size of the object; each entry costs every decision about the pod, and terms cost the
 * decisions about others too. No real pod comes near.
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

  /** Refuses what is longer. */
  void check(int size, String where) {
    if (size > most) {
      throw exceeded(size, where);
    }
  }

  /** The refusal of a list of this size. */
  RefusedException exceeded(int size, String where) {
    return new RefusedException(
        where + " has " + size + " entries; the limit is " + most + ": shorten the list");
  }
}
