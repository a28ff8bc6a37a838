package io.berth.engine.plugins;

import io.berth.engine.topology.DomainSums;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * A boolean for each domain that depends on the domain's sum. Reports the domains whose value has
 * changed, so that only their nodes are rechecked.
 */
final class PresenceWatch {
  private final DomainSums sums;
  private final IntPredicate answer;
  private boolean[] answers = {};
  private long seen = -1;
  private long keyVersion = -1;

  PresenceWatch(DomainSums sums, IntPredicate answer) {
    this.sums = sums;
    this.answer = answer;
  }

  /** Returns its memory, in bytes. */
  long bytes() {
    return 100L + answers.length;
  }

  DomainSums sums() {
    return sums;
  }

  /**
   * Returns whether the changed domains since the last visit are known; if not, call {@link
   * #reset}.
   */
  boolean knowsChanges() {
    return keyVersion == sums.key().version() && sums.changes().knowsSince(seen);
  }

  /** Visits the nodes of each domain whose value changed because of its sum. */
  void turned(IntConsumer nodes) {
    turnedDomains(domain -> forEachIn(domain, nodes));
  }

  /** Visits each domain whose value changed because of its sum. */
  void turnedDomains(IntConsumer domains) {
    if (seen != sums.changes().version()) {
      sums.changes().forEachSince(seen, domain -> ask(domain, domains));
      seen = sums.changes().version();
    }
  }

  /** Visits each domain whose value changed for any reason. */
  void turnedAnywhere(IntConsumer domains) {
    for (int domain = 0; domain < sums.key().bound(); domain++) {
      ask(domain, domains);
    }
    seen = sums.changes().version();
  }

  private void ask(int domain, IntConsumer domains) {
    boolean now = answer.test(domain);
    if (now != answers[domain]) {
      answers[domain] = now;
      domains.accept(domain);
    }
  }

  /** Visits the nodes of a domain. */
  void forEachIn(int domain, IntConsumer nodes) {
    for (int slot = sums.key().firstIn(domain); slot >= 0; slot = sums.key().nextAfter(slot)) {
      nodes.accept(slot);
    }
  }

  /** Computes the value of every domain, without reporting changes. */
  void reset() {
    seen = sums.changes().version();
    keyVersion = sums.key().version();
    int bound = sums.key().bound();
    if (answers.length < bound) {
      answers = Arrays.copyOf(answers, bound + bound / 2);
    }
    for (int domain = 0; domain < bound; domain++) {
      answers[domain] = answer.test(domain);
    }
  }
}
