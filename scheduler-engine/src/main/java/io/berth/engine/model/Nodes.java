package io.berth.engine.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A builder of nodes, from scratch or from an existing node. */
public final class Nodes {
  private static final String HOSTNAME = "kubernetes.io/hostname";

  private final String name;
  private String uid;
  private Map<String, String> labels = new HashMap<>();
  private List<Taint> taints = new ArrayList<>();
  private boolean unschedulable;
  private Map<String, Long> allocatable = new TreeMap<>();
  private List<NodeImage> images = new ArrayList<>();
  private Set<String> declaredFeatures = Set.of();
  private CardInventory cards = CardInventory.none();

  private Nodes(String name) {
    this.name = name;
    this.uid = "uid-" + name;
  }

  /**
   * Starts with a node that has its hostname label, UID {@code uid-<name>} and capacity for 110
   * pods.
   */
  public static Nodes node(String name) {
    return new Nodes(name).label(HOSTNAME, name).allocatable(ResourceAmounts.PODS, 110);
  }

  /** Starts with a node without labels and capacity. */
  public static Nodes bare(String name) {
    return new Nodes(name);
  }

  /** Starts with a copy of a node. */
  public static Nodes from(NodeModel node) {
    Nodes copy = new Nodes(node.name());
    copy.uid = node.uid();
    copy.labels = new HashMap<>(node.labels());
    copy.taints = new ArrayList<>(node.taints());
    copy.unschedulable = node.unschedulable();
    for (int i = 0; i < node.allocatable().size(); i++) {
      copy.allocatable.put(node.allocatable().name(i), node.allocatable().amount(i));
    }
    copy.images = new ArrayList<>(node.images());
    copy.declaredFeatures = node.declaredFeatures();
    copy.cards = node.cards();
    return copy;
  }

  public Nodes uid(String uid) {
    this.uid = uid;
    return this;
  }

  public Nodes label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  /** Replaces all labels. */
  public Nodes labels(Map<String, String> labels) {
    this.labels = new HashMap<>(labels);
    return this;
  }

  public Nodes taint(String key, String value, TaintEffect effect) {
    taints.add(new Taint(key, value, effect));
    return this;
  }

  /** Replaces all taints. */
  public Nodes taints(List<Taint> taints) {
    this.taints = new ArrayList<>(taints);
    return this;
  }

  /** Cordons the node. */
  public Nodes unschedulable() {
    return unschedulable(true);
  }

  public Nodes unschedulable(boolean unschedulable) {
    this.unschedulable = unschedulable;
    return this;
  }

  public Nodes milliCpu(long amount) {
    return allocatable(ResourceAmounts.CPU, amount);
  }

  public Nodes memoryBytes(long amount) {
    return allocatable(ResourceAmounts.MEMORY, amount);
  }

  /** Sets the allocatable amount of a resource, in the units of {@link ResourceAmounts}. */
  public Nodes allocatable(String resource, long amount) {
    allocatable.put(resource, amount);
    return this;
  }

  /** Replaces all allocatable resources. */
  public Nodes allocatable(ResourceAmounts amounts) {
    allocatable.clear();
    for (int i = 0; i < amounts.size(); i++) {
      allocatable.put(amounts.name(i), amounts.amount(i));
    }
    return this;
  }

  public Nodes image(long sizeBytes, String... names) {
    images.add(new NodeImage(List.of(names), sizeBytes));
    return this;
  }

  /** Replaces all images. */
  public Nodes images(List<NodeImage> images) {
    this.images = new ArrayList<>(images);
    return this;
  }

  public Nodes declaredFeatures(String... names) {
    this.declaredFeatures = Set.of(names);
    return this;
  }

  /** Sets the node's GPU cards. */
  public Nodes cards(List<Card> cards) {
    return cards(CardInventory.of(cards));
  }

  /** Sets the node's GPU cards and their agent. */
  public Nodes cards(CardInventory cards) {
    this.cards = cards;
    return this;
  }

  public NodeModel build() {
    return new NodeModel(
        name,
        uid,
        labels,
        taints,
        unschedulable,
        ResourceAmounts.of(allocatable),
        images,
        declaredFeatures,
        cards);
  }
}
