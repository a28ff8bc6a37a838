package io.berth.demo.tenants;

import java.util.random.RandomGenerator;

/** The faults that tenants and chance cause in the cluster. */
public interface Disturbances {

  /** The state of the webhooks for the Bindings and deletions of a namespace. */
  enum Webhook {
    WELL,
    REFUSES_CONNECTIONS,
    /** It answers with an error, after most of a second. */
    FAILS_LATE,
    HANGS,
    SLOW,
    /** It denies all Bindings at once. */
    DENIES_BINDINGS,
    /** It takes all Bindings, and denies all deletions by the scheduler. */
    DENIES_EVICTIONS
  }

  /** The state of the extender. */
  enum Extender {
    WELL,
    HANGS,
    REFUSES_CONNECTIONS,
    /** It answers with an HTTP status of 500. */
    FAILS,
    /** It names nodes that it was not asked about. */
    TALKS_NONSENSE
  }

  /** Sets the state of the webhooks for the Bindings and deletions of a namespace. */
  void webhook(String namespace, Webhook state);

  /** Lets something be wrong with the API server for a while. */
  void breakServer(RandomGenerator random);

  /** The URL of the extender, without a verb. */
  String extenderUrl();

  /** Sets the state of the extender. */
  void extender(Extender state);

  /** Lets Berth's webhook for pods be unavailable for a while. */
  void stopPodWebhook();

  /** Lets the watches deliver nothing for a while. */
  void stallWatches();

  /** Ends the leader at once. */
  void crash();
}
