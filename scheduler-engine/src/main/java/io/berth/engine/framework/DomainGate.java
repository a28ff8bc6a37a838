package io.berth.engine.framework;

import io.berth.engine.state.NodeSet;
import io.berth.engine.topology.TopologyKey;
import java.util.function.IntPredicate;

/**
 * The part of a filter's verdicts that all nodes of a domain share, such as that of a zone which
 * has reached its maximum skew. A closed domain rejects the pod on all of its nodes. One more pod
 * may then change the verdicts on thousands of nodes, but only one bit here. Readers of the filter
 * compare the bits, and handle the nodes of a domain as a set.
 *
 * <p>A gate is in use only if the key has few domains, because each set takes one bit per node.
 */
public final class DomainGate {
  private static final int MOST_DOMAINS = 16;

  private final TopologyKey key;
  private final int verdict;
  private final NodeSet closedNodes = new NodeSet();
  private boolean isUsed;
  private int closed;
  private long keyVersion = -1;
  private long version;

  /**
   * Creates a gate that is not in use yet.
   *
   * @param verdict the filter's verdict on the nodes of a closed domain
   */
  public DomainGate(TopologyKey key, int verdict) {
    this.key = key;
    this.verdict = verdict;
  }

  /** Returns whether the key has few domains, so that the gate rejects nodes. */
  public boolean isUsed() {
    return isUsed;
  }

  /** Returns a version that changes when nodes have moved between domains. */
  public long version() {
    return version;
  }

  /** Returns the verdict on the nodes of a closed domain. */
  public int verdict() {
    return verdict;
  }

  /** Returns the closed domains, one bit each. */
  public int closed() {
    return closed;
  }

  /** Returns whether the gate rejects the pod on the nodes of the domain. */
  public boolean closes(int domain) {
    return domain >= 0 && (closed & 1 << domain) != 0;
  }

  /** Returns the nodes of all closed domains; callers must not modify it. */
  public NodeSet closedNodes() {
    return closedNodes;
  }

  /** Returns the nodes of a word that are in closed domains. */
  public long closedIn(int word) {
    long[] words = closedNodes.words();
    return word < words.length ? words[word] : 0;
  }

  /** Returns the nodes of a domain; callers must not modify it. */
  public NodeSet nodesIn(int domain) {
    return key.nodesIn(domain);
  }

  /** Returns the domains by slot; callers must not modify it. */
  public int[] domains() {
    return key.domains();
  }

  /**
   * Computes which domains are closed.
   *
   * @return whether nodes have moved between domains since the last time
   */
  boolean reset(IntPredicate closes) {
    boolean moved = keyVersion != key.version();
    if (moved) {
      keyVersion = key.version();
      version++;
      isUsed = key.bound() <= MOST_DOMAINS;
    }
    closed = 0;
    closedNodes.clear();
    closedNodes.grow(key.domains().length);
    for (int domain = 0; isUsed && domain < key.bound(); domain++) {
      if (closes.test(domain)) {
        turn(domain);
      }
    }
    return moved;
  }

  /** Closes an open domain, or opens a closed one. */
  void turn(int domain) {
    closed ^= 1 << domain;
    if (closes(domain)) {
      closedNodes.addAll(key.nodesIn(domain));
    } else {
      closedNodes.removeAll(key.nodesIn(domain));
    }
  }

  /** Returns its memory in bytes. */
  long bytes() {
    return 80L + closedNodes.bytes();
  }
}
