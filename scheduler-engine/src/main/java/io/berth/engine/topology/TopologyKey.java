package io.berth.engine.topology;

import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.SharedAnswers;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * A node label as a partition of the nodes: a domain is the set of nodes with the same value.
 * Domains are small numbers, which are reused when a domain has no nodes left. The host name is a
 * key like any other, with one node per domain.
 */
public final class TopologyKey implements SharedAnswers.Answer {
  /** The domain of nodes without the label, and of slots without a node. */
  public static final int NONE = -1;

  /**
   * @param absentIsEmpty whether an absent label counts as an empty one
   */
  record Question(String label, boolean absentIsEmpty) {}

  private final Question question;
  private final NodeTable nodes;
  private final SharedAnswers answers;
  private final Map<String, Integer> domains = new HashMap<>();
  private final Deque<Integer> free = new ArrayDeque<>();
  private final NodeSet present = new NodeSet();
  private String[] values = {};
  private int[] sizes = {};

  /**
   * The first slot of each domain; the slots of a domain are linked in both directions, and -1 ends
   * the list.
   */
  private int[] first = {};

  private int[] next = {};
  private int[] previous = {};
  private int[] domainOf = {};
  private int bound;
  private long seen;
  private long version;

  /** The nodes of each domain, as of a version. */
  private NodeSet[] sets = {};

  private long setsVersion = -1;

  private TopologyKey(Question question, ClusterState state) {
    this.question = question;
    this.nodes = state.nodes();
    this.answers = state.answers();
  }

  /** Returns the refreshed key of this label; requires one {@link #release}. */
  public static TopologyKey acquire(String label, ClusterState state) {
    return acquire(label, false, state);
  }

  /**
   * Returns the refreshed key of this label, where an absent label counts as an empty one; requires
   * one {@link #release}.
   */
  public static TopologyKey acquireWithAbsent(String label, ClusterState state) {
    return acquire(label, true, state);
  }

  static TopologyKey acquire(String label, boolean absentIsEmpty, ClusterState state) {
    Question question = new Question(label, absentIsEmpty);
    TopologyKey key = state.answers().acquire(question, () -> new TopologyKey(question, state));
    key.refresh();
    return key;
  }

  public void release(ClusterState state) {
    state.answers().release(question);
  }

  public String label() {
    return question.label();
  }

  /** Applies the changes of node labels. */
  public void refresh() {
    if (domainOf.length < nodes.slots()) {
      grow();
    }
    seen = nodes.labelLog().visit(seen, this::reread);
  }

  /** Returns a version that changes whenever a node joins or leaves a domain. */
  public long version() {
    return version;
  }

  /** Returns the node's domain, or {@link #NONE}. */
  public int domainOf(int slot) {
    return domainOf[slot];
  }

  /** Returns the domain of the nodes with this value, or {@link #NONE}. */
  public int domainNamed(String value) {
    return domains.getOrDefault(value, NONE);
  }

  /**
   * Returns the domains by slot; at least as long as the number of slots. Callers must not modify
   * it.
   */
  public int[] domains() {
    return domainOf;
  }

  /** Returns the largest domain in use plus one: the length of arrays by domain. */
  public int bound() {
    return bound;
  }

  /** Returns the number of domains that have nodes. */
  public int domainCount() {
    return domains.size();
  }

  /** Returns the nodes that have the label. */
  public NodeSet present() {
    return present;
  }

  /** Returns the first slot of the domain; -1 if it has no nodes. */
  public int firstIn(int domain) {
    return first[domain];
  }

  /** Returns the next slot of the same domain; -1 after the last. */
  public int nextAfter(int slot) {
    return next[slot];
  }

  /** Returns the value of the label on the nodes of a domain that has nodes. */
  public String valueOf(int domain) {
    return values[domain];
  }

  /** Returns the number of nodes in the domain. */
  public int sizeOf(int domain) {
    return sizes[domain];
  }

  /**
   * Returns the nodes of a domain, for keys with few domains: the set of each domain takes one bit
   * per node. Callers must not modify it; it is valid until the key is refreshed.
   */
  public NodeSet nodesIn(int domain) {
    if (setsVersion != version) {
      setsVersion = version;
      sets = new NodeSet[bound];
      for (int each = 0; each < bound; each++) {
        sets[each] = new NodeSet(domainOf.length);
        for (int slot = sizes[each] == 0 ? -1 : first[each]; slot >= 0; slot = next[slot]) {
          sets[each].add(slot);
        }
      }
      answers.resized(this);
    }
    return sets[domain];
  }

  private void reread(int slot) {
    if (slot >= domainOf.length) {
      return;
    }
    boolean alive = nodes.alive().contains(slot);
    String own = alive ? nodes.model(slot).labels().get(question.label()) : null;
    if (present.put(slot, own != null)) {
      version++;
    }
    String value = own == null && alive && question.absentIsEmpty() ? "" : own;
    int before = domainOf[slot];
    if (before == NONE ? value == null : values[before].equals(value)) {
      return;
    }
    if (before != NONE) {
      leave(slot, before);
    }
    if (value != null) {
      enter(slot, value);
    }
    version++;
  }

  private void leave(int slot, int domain) {
    if (previous[slot] < 0) {
      first[domain] = next[slot];
    } else {
      next[previous[slot]] = next[slot];
    }
    if (next[slot] >= 0) {
      previous[next[slot]] = previous[slot];
    }
    domainOf[slot] = NONE;
    if (--sizes[domain] == 0) {
      domains.remove(values[domain]);
      free.push(domain);
    }
  }

  private void enter(int slot, String value) {
    int domain = domains.computeIfAbsent(value, this::newDomain);
    next[slot] = first[domain];
    previous[slot] = -1;
    if (first[domain] >= 0) {
      previous[first[domain]] = slot;
    }
    first[domain] = slot;
    domainOf[slot] = domain;
    sizes[domain]++;
  }

  private int newDomain(String value) {
    int domain = free.isEmpty() ? bound++ : free.pop();
    if (domain >= values.length) {
      int capacity = Math.max(8, domain * 2);
      values = Arrays.copyOf(values, capacity);
      sizes = Arrays.copyOf(sizes, capacity);
      first = Arrays.copyOf(first, capacity);
      answers.resized(this);
    }
    values[domain] = value;
    first[domain] = -1;
    sizes[domain] = 0;
    return domain;
  }

  private void grow() {
    int before = domainOf.length;
    int capacity = nodes.roomForSlots();
    domainOf = Arrays.copyOf(domainOf, capacity);
    next = Arrays.copyOf(next, capacity);
    previous = Arrays.copyOf(previous, capacity);
    Arrays.fill(domainOf, before, capacity, NONE);
    present.grow(capacity);
    answers.resized(this);
  }

  @Override
  public long bytes() {
    // A domain has an entry in the arrays and one in the map.
    long bytes = 300L + 12L * domainOf.length + present.bytes() + 72L * values.length;
    for (NodeSet set : sets) {
      bytes += set.bytes();
    }
    return bytes;
  }

  @Override
  public void close() {}
}
