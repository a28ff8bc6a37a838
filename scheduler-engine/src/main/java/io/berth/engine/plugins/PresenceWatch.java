package io.berth.engine.plugins;

import io.berth.engine.topology.DomainSums;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * A yes or no about each domain that depends on its sum. Names the domains where the answer has
 * turned, so that only their nodes are looked at again.
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

  /** The memory that it takes, in bytes. */
  long bytes() {
    return 100L + answers.length;
  }

  DomainSums sums() {
    return sums;
  }

  /**
   * Returns whether the domains that turned can be distinguished since the last look; if not,
   * {@link #reset}.
   */
  boolean knowsChanges() {
    return keyVersion == sums.key().version() && sums.changes().knowsSince(seen);
  }

  /** Names the nodes of each domain that turned because its sum changed. */
  void turned(IntConsumer nodes) {
    turnedDomains(domain -> forEachIn(domain, nodes));
  }

  /** Names each domain that turned because its sum changed. */
  void turnedDomains(IntConsumer domains) {
    if (seen != sums.changes().version()) {
      sums.changes().forEachSince(seen, domain -> ask(domain, domains));
      seen = sums.changes().version();
    }
  }

  /** Names each domain that turned for whatever reason. */
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

  /** Names the nodes of a domain. */
  void forEachIn(int domain, IntConsumer nodes) {
    for (int slot = sums.key().firstIn(domain); slot >= 0; slot = sums.key().nextAfter(slot)) {
      nodes.accept(slot);
    }
  }

  /** Answers again for every domain, naming none. */
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
