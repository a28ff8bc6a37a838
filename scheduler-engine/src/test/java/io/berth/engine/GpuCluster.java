package io.berth.engine;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.cards.CardTable;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodModel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A cluster of nodes with GPU cards, with a default policy for GPU pools. */
final class GpuCluster {
  final TestCluster cluster = new TestCluster();

  GpuCluster(CardChoice choice) {
    serve(TestCluster.POLICY, choice);
  }

  void serve(String policy, CardChoice choice) {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(
                policy,
                SchedulingPolicySpec.defaults().withGpu(new GpuPlacement(choice, List.of())))));
  }

  static Nodes node(String name, Card... cards) {
    return Nodes.node(name).milliCpu(64_000).memoryBytes(1L << 38).cards(List.of(cards));
  }

  static Card[] cards(int count, String model) {
    return Collections.nCopies(count, Card.of(model)).toArray(Card[]::new);
  }

  static Pods whole(String name, int cards) {
    return Pods.pod(name).milliCpu(100).cards(PodCards.of(CardRequest.whole("main", cards)));
  }

  static Pods share(String name, int milliCores) {
    return Pods.pod(name)
        .milliCpu(100)
        .cards(PodCards.of(CardRequest.share("main", milliCores, 0)));
  }

  void put(NodeModel node) {
    cluster.apply(new ClusterEvent.NodeUpserted(node));
  }

  void put(PodModel pod) {
    cluster.apply(new ClusterEvent.PodUpserted(pod));
  }

  /** Places the pod, and reports it as bound, with the annotation of its Binding. */
  Decision.Placed bind(PodModel pod) {
    put(pod);
    Decision.Placed placed = cluster.placed();
    cluster.apply(new ClusterEvent.BindingConfirmed(pod.ref()));
    put(bound(pod, placed));
    return placed;
  }

  /** Returns the pod as the API server shows it after its Binding. */
  static PodModel bound(PodModel pod, Decision.Placed placed) {
    return Pods.from(pod).on(placed.nodeName()).givenCards(given(placed)).build();
  }

  static Optional<CardAssignment> given(Decision.Placed placed) {
    return placed.assignment(CardAssignment.class);
  }

  /** Returns the used compute capacity of each card, by node. */
  Map<String, List<Integer>> used() {
    Map<String, List<Integer>> used = new TreeMap<>();
    CardTable table = cluster.engine.state().cards().table();
    cluster
        .engine
        .state()
        .nodes()
        .alive()
        .forEach(
            slot -> {
              List<Integer> cards = new ArrayList<>();
              for (int card = 0; card < table.count(slot); card++) {
                cards.add(table.usedMilliCores(slot, card));
              }
              used.put(cluster.engine.state().nodes().name(slot), cards);
            });
    return used;
  }
}
