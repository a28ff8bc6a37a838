package io.berth.demo.tenants;

import java.util.random.RandomGenerator;

/** The faults that tenants and chance cause in the cluster. */
public interface Disturbances {

  /** The state of a webhook for the Bindings of a namespace. */
  enum Webhook {
    WELL,
    REFUSES_CONNECTIONS,
    HANGS,
    SLOW
  }

  /** Sets the state of the webhook for the Bindings of a namespace. */
  void webhook(String namespace, Webhook state);

  /** Lets something be wrong with the API server for a while. */
  void breakServer(RandomGenerator random);

  /** Lets the watches deliver nothing for a while. */
  void stallWatches();

  /** Ends the leader at once. */
  void crash();
}
