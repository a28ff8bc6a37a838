package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.WeightedAffinityTerm;
import io.berth.rules.label.LabelOperator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class InterPodAffinityTest {
  private static final Optional<Verdict> TOO_FAR =
      Optional.of(Verdict.unresolvable("node(s) didn't match pod affinity rules"));
  private static final Optional<Verdict> TOO_NEAR =
      Optional.of(Verdict.unschedulable("node(s) didn't match pod anti-affinity rules"));
  private static final Optional<Verdict> UNWANTED =
      Optional.of(
          Verdict.unschedulable("node(s) didn't satisfy existing pods anti-affinity rules"));

  private static AffinityTerm term(LabelSelector selector, String key) {
    return new AffinityTerm(Set.of("default"), LabelSelector.nothing(), selector, key);
  }

  private static AffinityTerm service(String key) {
    return term(LabelSelector.ofPairs(Map.of("service", "securityscan")), key);
  }

  private static PodAffinity near(AffinityTerm... terms) {
    return new PodAffinity(List.of(terms), List.of(), List.of(), List.of());
  }

  private static PodAffinity far(AffinityTerm... terms) {
    return new PodAffinity(List.of(), List.of(terms), List.of(), List.of());
  }

  private static Pods security() {
    return pod("p").label("service", "securityscan");
  }

  private static Nodes in(String region, String name) {
    return node(name).label("region", region);
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    LabelSelector notOther =
        LabelSelector.of(
            List.of(new Requirement("service", LabelOperator.NOT_IN, List.of("securityscan3"))));
    return PluginTable.ofFilter(new InterPodAffinity())
        .row("a pod without terms may go anywhere", pod("p"))
        .node(in("r1", "n"), PASSES)
        .row("near a pod that is there", pod("p").affinity(near(service("region"))))
        .node(in("r1", "a"), PASSES, security())
        .node(in("r1", "same"), PASSES)
        .node(in("r2", "other"), TOO_FAR)
        .node(node("nowhere"), TOO_FAR)
        .row("NotIn matches too", pod("p").affinity(near(term(notOther, "region"))))
        .node(in("r1", "a"), PASSES, security())
        .row("pods of another namespace are not meant", pod("p").affinity(near(service("region"))))
        .node(in("r1", "a"), TOO_FAR, security().namespace("other"))
        .row("no pod matches", pod("p").affinity(near(service("region"))))
        .node(in("r1", "a"), TOO_FAR, pod("q").label("service", "antivirusscan"))
        .row("the first of a group goes anywhere", security().affinity(near(service("region"))))
        .node(in("r1", "a"), PASSES)
        .node(in("r2", "b"), PASSES)
        .node(node("nowhere"), TOO_FAR)
        .row("far from a pod that is there", pod("p").affinity(far(service("region"))))
        .node(in("r1", "a"), TOO_NEAR, security())
        .node(in("r1", "same"), TOO_NEAR)
        .node(in("r2", "other"), PASSES)
        .node(node("nowhere"), PASSES)
        .row("a pod that is there wants it far", security())
        .node(in("r1", "a"), UNWANTED, pod("q").affinity(far(service("region"))))
        .node(in("r1", "same"), UNWANTED)
        .node(in("r2", "other"), PASSES)
        .row("required affinity of a pod that is there asks nothing of others", pod("p"))
        .node(in("r1", "a"), PASSES, pod("q").affinity(near(service("region"))))
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> verdictsByNamespaceLabels() {
    AffinityTerm ofTeam =
        new AffinityTerm(
            Set.of(),
            LabelSelector.ofPairs(Map.of("team", "team1")),
            LabelSelector.ofPairs(Map.of("service", "securityscan")),
            "region");
    ClusterEvent team1 = new ClusterEvent.NamespaceUpserted("subteam1", Map.of("team", "team1"));
    ClusterEvent team2 = new ClusterEvent.NamespaceUpserted("subteam1", Map.of("team", "team2"));
    return PluginTable.ofFilter(new InterPodAffinity())
        .row("the namespace has the labels", pod("p").affinity(near(ofTeam)))
        .with(team1)
        .node(in("r1", "a"), PASSES, security().namespace("subteam1"))
        .row("it has not", pod("p").affinity(near(ofTeam)))
        .with(team2)
        .node(in("r1", "a"), TOO_FAR, security().namespace("subteam1"))
        .row("anti-affinity, the namespace has the labels", pod("p").affinity(far(ofTeam)))
        .with(team1)
        .node(in("r1", "a"), TOO_NEAR, security().namespace("subteam1"))
        .tests();
  }

  private static PodAffinity prefers(int near, int far) {
    WeightedAffinityTerm[] terms = {
      new WeightedAffinityTerm(Math.max(1, near), service("region")),
      new WeightedAffinityTerm(Math.max(1, far), service("region"))
    };
    return new PodAffinity(
        List.of(),
        List.of(),
        near > 0 ? List.of(terms[0]) : List.of(),
        far > 0 ? List.of(terms[1]) : List.of());
  }

  @TestFactory
  Stream<DynamicTest> scores() {
    return PluginTable.ofScore(new InterPodAffinity())
        .row("nobody prefers anything", pod("p"))
        .node(in("China", "a"), 0, security())
        .node(in("India", "b"), 0)
        .row("near preferred pods", pod("p").affinity(prefers(5, 0)))
        .node(in("China", "a"), 100, security())
        .node(in("India", "b"), 0, pod("q").label("service", "other"))
        .node(node("nowhere"), 0)
        .row("every node of the region scores alike", pod("p").affinity(prefers(5, 0)))
        .node(in("China", "a"), 100, security())
        .node(in("China", "a2"), 100)
        .node(in("India", "b"), 0)
        .row("the more pods, the better", pod("p").affinity(prefers(5, 0)))
        .node(in("China", "a"), 100, security(), security())
        .node(in("India", "b"), 50, security())
        .node(in("Chile", "c"), 0)
        .row("far from pods that are avoided", pod("p").affinity(prefers(0, 5)))
        .node(in("China", "a"), 0, security())
        .node(in("India", "b"), 100)
        .row("pods that are there prefer it", security())
        .node(in("China", "a"), 100, pod("q").affinity(prefers(8, 0)))
        .node(in("India", "b"), 50, pod("q").affinity(prefers(4, 0)))
        .node(in("Chile", "c"), 0)
        .row("their required affinity counts with weight 1", security())
        .node(in("China", "a"), 100, pod("q").affinity(near(service("region"))))
        .node(in("India", "b"), 0)
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> scoresWithArguments() {
    return Stream.concat(
        PluginTable.ofScore(new InterPodAffinity(0, false))
            .row("hardPodAffinityWeight 0: required affinity does not count", security())
            .node(in("China", "a"), 0, pod("q").affinity(near(service("region"))))
            .node(in("India", "b"), 0)
            .tests(),
        PluginTable.ofScore(new InterPodAffinity(1, true))
            .row("preferences of pods that are there are ignored", security())
            .node(in("China", "a"), 0, pod("q").affinity(prefers(8, 0)))
            .node(in("India", "b"), 0)
            .tests());
  }
}
