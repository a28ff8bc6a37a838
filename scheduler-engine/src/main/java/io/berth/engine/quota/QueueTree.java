package io.berth.engine.quota;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.QueueRef;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.Namespaces;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The queues as a tree, and the queue of each namespace. A queue whose parent does not exist, or is
 * below it, is at the top, as is one with {@value #MOST_LEVELS} queues above it. There is always a
 * leaf {@value QueueModel#DEFAULT} for pods that belong to no other queue.
 */
final class QueueTree {
  /** The number of levels that is searched level by level without danger for the stack. */
  static final int MOST_LEVELS = 100;

  private static final QueueRef KOORDINATOR_DEFAULT =
      new QueueRef(QueueDialect.KOORDINATOR, "koordinator-default-quota");

  private final CountedResources resources;
  private final QueueNode root;
  private final TreeMap<String, QueueModel> models;

  /** The queues in the order in which they admit namespaces. */
  private final List<QueueModel> admitting;

  private final Map<String, QueueNode> nodes = new HashMap<>();
  private final QueueNode defaultLeaf;
  private final Map<String, QueueNode> ofNamespace = new HashMap<>();

  QueueTree(Collection<QueueModel> queues) {
    this.resources = CountedResources.of(queues);
    this.models = new TreeMap<>();
    queues.forEach(queue -> models.put(queue.name(), queue));
    this.admitting =
        models.values().stream()
            .filter(QueueModel::admitsAny)
            .sorted(Comparator.comparing(QueueModel::dialect)) // stable: then by name
            .toList();
    this.root = new QueueNode(plain(""), null, resources);
    models.keySet().forEach(this::addWithThoseAbove);
    QueueNode named = nodes.get(QueueModel.DEFAULT);
    this.defaultLeaf =
        named != null && named.isLeaf()
            ? named
            : new QueueNode(plain(QueueModel.DEFAULT), root, resources);
  }

  private static QueueModel plain(String name) {
    return new QueueModel(
        name,
        "",
        ResourceAmounts.none(),
        ResourceAmounts.none(),
        1,
        0,
        Duration.ZERO,
        Set.of(),
        LabelSelector.nothing());
  }

  private void addWithThoseAbove(String name) {
    Deque<QueueModel> path = new ArrayDeque<>();
    Set<String> below = new HashSet<>();
    String at = name;
    while (!nodes.containsKey(at) && models.containsKey(at) && below.add(at)) {
      path.push(models.get(at));
      at = models.get(at).parent();
    }
    QueueNode above = nodes.getOrDefault(at, root); // also if the queues are their own parents
    for (QueueModel model : path) {
      QueueNode parent = above.depth < MOST_LEVELS ? above : root;
      above = new QueueNode(model, parent, resources);
      nodes.put(model.name(), above);
    }
  }

  /** Takes over the past share of a queue that has not changed otherwise. */
  void setPastShare(QueueModel queue) {
    models.put(queue.name(), queue);
    QueueNode node = nodes.get(queue.name());
    if (node != null) {
      node.pastShare = queue.pastShare();
      NextUnit.changed(node);
    }
  }

  CountedResources resources() {
    return resources;
  }

  QueueNode root() {
    return root;
  }

  /** Returns the leaf of pods that belong to no other queue. */
  QueueNode defaultLeaf() {
    return defaultLeaf;
  }

  /**
   * Returns the leaf of pods that name no queue and that no queue admits: Koordinator's default
   * quota, or else the default of all.
   */
  QueueNode fallback() {
    QueueNode quota = nodes.get(KOORDINATOR_DEFAULT.key());
    return quota != null && quota.isLeaf() ? quota : defaultLeaf;
  }

  /** Returns all queues, each after its parent. */
  List<QueueNode> all() {
    List<QueueNode> all = new ArrayList<>(root.children);
    for (int i = 0; i < all.size(); i++) {
      all.addAll(all.get(i).children);
    }
    return all;
  }

  /** Returns the leaf of pods of the namespace that name no queue. */
  QueueNode ofNamespace(String namespace, Namespaces namespaces) {
    return ofNamespace.computeIfAbsent(
        namespace, name -> firstThatAdmits(name, namespaces.labelsOf(name)));
  }

  private QueueNode firstThatAdmits(String namespace, Map<String, String> labels) {
    for (QueueModel model : admitting) {
      QueueNode node = nodes.get(model.name());
      if (node != null && node.isLeaf() && model.admits(namespace, labels)) {
        return node;
      }
    }
    return fallback();
  }

  /**
   * Returns the queue that a pod of the namespace names, if it is a leaf; a SchedulingQueue also
   * has to admit the namespace.
   */
  Optional<QueueNode> named(QueueRef queue, String namespace, Namespaces namespaces) {
    QueueModel model = models.get(queue.key());
    QueueNode node = nodes.get(queue.key());
    return model != null
            && node != null
            && node.isLeaf()
            && (queue.dialect() != QueueDialect.BERTH
                || model.admits(namespace, namespaces.labelsOf(namespace)))
        ? Optional.of(node)
        : Optional.empty();
  }

  /** Returns whether the namespace, with labels that have changed, belongs to the same queues. */
  boolean isUnchanged(String namespace, Map<String, String> before, Map<String, String> after) {
    return models.values().stream()
        .allMatch(model -> model.admits(namespace, before) == model.admits(namespace, after));
  }
}
