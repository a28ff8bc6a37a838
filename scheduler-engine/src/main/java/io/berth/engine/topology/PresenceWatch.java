package io.berth.engine.topology;

import java.util.BitSet;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * A boolean for each domain that depends on the domain's sum. Reports the domains whose value has
 * changed, so that only their nodes are rechecked.
 */
public final class PresenceWatch {
  private final DomainSums sums;
  private final IntPredicate answer;
  private final boolean onlyWithPods;
  private final BitSet answers = new BitSet();
  private long seen = -1;
  private long keyVersion = -1;

  /**
   * Creates a watch.
   *
   * @param answer the value of a domain, by its number
   */
  public PresenceWatch(DomainSums sums, IntPredicate answer) {
    this(sums, answer, false);
  }

  private PresenceWatch(DomainSums sums, IntPredicate answer, boolean onlyWithPods) {
    this.sums = sums;
    this.answer = answer;
    this.onlyWithPods = onlyWithPods;
  }

  /** Returns a watch of whether a domain has any pod. */
  public static PresenceWatch ofAnyPod(DomainSums sums) {
    return new PresenceWatch(sums, domain -> sums.sumOf(domain) > 0, true);
  }

  /** Returns its memory, in bytes. */
  public long bytes() {
    return 140L + answers.size() / Byte.SIZE;
  }

  /** Returns the sums that the values depend on. */
  public DomainSums sums() {
    return sums;
  }

  /**
   * Returns whether the changed domains since the last visit are known; if not, call {@link
   * #reset}.
   */
  public boolean knowsChanges() {
    return keyVersion == sums.key().version() && sums.changes().knowsSince(seen);
  }

  /** Visits the nodes of each domain whose value changed because of its sum. */
  public void turned(IntConsumer nodes) {
    turnedDomains(domain -> forEachIn(domain, nodes));
  }

  /** Visits each domain whose value changed because of its sum. */
  public void turnedDomains(IntConsumer domains) {
    if (seen != sums.changes().version()) {
      sums.changes().forEachSince(seen, domain -> ask(domain, domains));
      seen = sums.changes().version();
    }
  }

  /** Visits each domain whose value changed for any reason. */
  public void turnedAnywhere(IntConsumer domains) {
    for (int domain = 0; domain < sums.key().bound(); domain++) {
      ask(domain, domains);
    }
    seen = sums.changes().version();
  }

  private void ask(int domain, IntConsumer domains) {
    boolean now = answer.test(domain);
    if (now != answers.get(domain)) {
      answers.set(domain, now);
      domains.accept(domain);
    }
  }

  /** Visits the nodes of a domain. */
  public void forEachIn(int domain, IntConsumer nodes) {
    for (int slot = sums.key().firstIn(domain); slot >= 0; slot = sums.key().nextAfter(slot)) {
      nodes.accept(slot);
    }
  }

  /** Computes the value of every domain, without reporting changes. */
  public void reset() {
    seen = sums.changes().version();
    keyVersion = sums.key().version();
    answers.clear();
    if (onlyWithPods) {
      sums.forEachNonZero(answers::set);
      return;
    }
    int bound = sums.key().bound();
    for (int domain = 0; domain < bound; domain++) {
      answers.set(domain, answer.test(domain));
    }
  }
}
