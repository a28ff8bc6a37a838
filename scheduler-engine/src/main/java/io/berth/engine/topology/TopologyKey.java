package io.berth.engine.topology;

import io.berth.engine.state.Answers;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * A node label as a partition of the nodes: a domain is the nodes with one value. Domains are small
 * numbers, reused when no node is left in them. The host name is a key like any other, with one
 * node a domain.
 */
public final class TopologyKey implements Answers.Answer {
  /** The domain of a node that does not have the label, and of a slot without a node. */
  public static final int NONE = -1;

  /**
   * @param absentIsEmpty whether nodes without the label count as if it were empty
   */
  record Question(String label, boolean absentIsEmpty) {}

  private final Question question;
  private final NodeTable nodes;
  private final Answers answers;
  private final Map<String, Integer> domains = new HashMap<>();
  private final Deque<Integer> free = new ArrayDeque<>();
  private final NodeSet present = new NodeSet();
  private String[] values = {};
  private int[] sizes = {};

  /** First slot of each domain, and from slot to slot in both directions; -1 ends. */
  private int[] first = {};

  private int[] next = {};
  private int[] previous = {};
  private int[] domainOf = {};
  private int bound;
  private long seen;
  private long version;

  private TopologyKey(Question question, ClusterState state) {
    this.question = question;
    this.nodes = state.nodes();
    this.answers = state.answers();
  }

  /** The key of this label, up to date; needs one {@link #release}. */
  public static TopologyKey acquire(String label, ClusterState state) {
    return acquire(label, false, state);
  }

  /**
   * The key of this label, up to date, where nodes without the label are in one domain with those
   * where it is empty; needs one {@link #release}.
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

  /** Takes over what changed in the nodes' labels. */
  public void refresh() {
    if (domainOf.length < nodes.slots()) {
      grow();
    }
    seen = nodes.labelLog().visit(seen, this::reread);
  }

  /** Changes whenever a node comes into a domain or leaves it. */
  public long version() {
    return version;
  }

  /** The node's domain, or {@link #NONE}. */
  public int domainOf(int slot) {
    return domainOf[slot];
  }

  /** The domain of the nodes with this value, or {@link #NONE}. */
  public int domainNamed(String value) {
    return domains.getOrDefault(value, NONE);
  }

  /** The domains by slot, as long as there are slots or longer; not to be written to. */
  public int[] domains() {
    return domainOf;
  }

  /** One more than the largest domain in use: the length of arrays by domain. */
  public int bound() {
    return bound;
  }

  /** The nodes that have the label. */
  public NodeSet present() {
    return present;
  }

  /** A slot of the domain to begin with; -1 for a domain without nodes. */
  public int firstIn(int domain) {
    return first[domain];
  }

  /** Another slot of the same domain; -1 after the last. */
  public int nextAfter(int slot) {
    return next[slot];
  }

  /** Returns the number of nodes in the domain. */
  public int sizeOf(int domain) {
    return sizes[domain];
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
      answers.resized(question);
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
    answers.resized(question);
  }

  @Override
  public long bytes() {
    // A domain has its place in the arrays and an entry of the map.
    return 300L + 12L * domainOf.length + present.bytes() + 72L * values.length;
  }

  @Override
  public void close() {}
}
