package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.PodRef;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Preemption for pods whose nodes are rejected by an advisor once pods were evicted there. */
class EvictionsInVainTest {
  private static final int NODES = 9;
  private static final Verdict RESOLVABLE = Verdict.unschedulable("not here");

  private final TestCluster cluster = new TestCluster();
  private final List<PodRef> victims = new ArrayList<>();
  private final Set<String> accepted = new HashSet<>();
  private Optional<Decision.Placed> placed = Optional.empty();
  private String message = "";

  @BeforeEach
  void nineFullNodes() {
    serve();
    for (int i = 1; i <= NODES; i++) {
      cluster.upsert(TestCluster.node("n" + i, "4"));
      for (String half : List.of("a", "b")) {
        cluster.upsert(TestCluster.bound(TestCluster.pod("low-" + i + half, "2", i), "n" + i));
      }
    }
  }

  private void serve() {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, SchedulingPolicySpec.defaults())
                .withConsultation(Advisor.in(Consultation.Topic.NODES))));
  }

  /** Lets the engine decide for some minutes; victims leave at once. */
  private void decide(Verdict rejection) {
    for (int i = 0; i < 200; i++) {
      Outcome outcome = cluster.next();
      switch (outcome) {
        case AdviceRequest asked -> {
          Map<String, Advice.Refused> refusals = new HashMap<>();
          asked.nodes().stream()
              .filter(node -> !accepted.contains(node))
              .forEach(node -> refusals.put(node, new Advice.Refused("advisor", rejection)));
          Set<String> allowed = new HashSet<>(asked.nodes());
          allowed.retainAll(accepted);
          cluster.apply(
              new ClusterEvent.Advised(
                  asked.pod(),
                  asked.token(),
                  new Advice.Nodes(Optional.of(allowed), refusals, List.of(), List.of())));
        }
        case Decision.Nominated nominated -> {
          victims.addAll(nominated.victims());
          nominated.victims().forEach(victim -> cluster.apply(new ClusterEvent.PodRemoved(victim)));
        }
        case Decision.Placed decision -> placed = Optional.of(decision);
        case Decision decision -> message = decision.record().message();
        case Idle _ -> cluster.later(Duration.ofSeconds(5));
      }
    }
  }

  @Test
  void anAdvisorThatRejectsEveryNode_costsOneVictimAndNotOnePerNode() {
    cluster.upsert(TestCluster.pod("urgent", "1", 100));

    decide(RESOLVABLE);

    assertThat(victims).hasSize(1);
    assertThat(placed).isEmpty();
    assertThat(message)
        .contains("1 not here")
        .contains("preemption: pods were evicted from n1 for this pod, and then advisor rejected");
  }

  @Test
  void anAdvisorThatRejectsEveryNodeForGood_costsOneVictimToo() {
    cluster.upsert(TestCluster.pod("urgent", "1", 100));

    decide(Verdict.unresolvable("never here"));

    assertThat(victims).hasSize(1);
  }

  @Test
  void whatTheAdvisorRejectedIsNotForgottenWhileOthersUseTheNode() {
    cluster.upsert(TestCluster.pod("urgent", "1", 100));
    decide(RESOLVABLE);

    cluster.upsert(TestCluster.bound(TestCluster.pod("filler", "2", 1), "n1"));
    decide(RESOLVABLE);

    assertThat(victims).hasSize(1);
  }

  @Test
  void onceTheAdvisorAcceptsTheNode_thePodIsPlaced() {
    cluster.upsert(TestCluster.pod("urgent", "1", 100));
    decide(RESOLVABLE);

    accepted.add("n1");
    cluster.upsert(TestCluster.node("tiny", "10m"));
    decide(RESOLVABLE);

    assertThat(placed.orElseThrow().nodeName()).isEqualTo("n1");
    assertThat(victims).hasSize(1);
  }

  @Test
  void aChangeOfTheNode_orOfThePolicy_allowsOneMoreAttempt() {
    cluster.upsert(TestCluster.pod("urgent", "1", 100));
    decide(RESOLVABLE);

    cluster.upsert(
        new NodeBuilder(TestCluster.node("n2", "4"))
            .editMetadata()
            .addToLabels("other", "node")
            .endMetadata()
            .build());
    decide(RESOLVABLE);
    assertThat(victims).as("another node has changed").hasSize(1);

    cluster.upsert(
        new NodeBuilder(TestCluster.node("n1", "4"))
            .editMetadata()
            .addToLabels("changed", "yes")
            .endMetadata()
            .build());
    decide(RESOLVABLE);
    assertThat(victims).as("the node has changed").hasSize(2);

    serve();
    decide(RESOLVABLE);
    assertThat(victims).as("the policy has changed").hasSize(3);
  }

  @Test
  void aNodeThatWasRejectedForGood_isNoCandidate() {
    cluster.remove(TestCluster.bound(TestCluster.pod("low-1a", "2", 1), "n1"));
    cluster.upsert(TestCluster.pod("urgent", "2", 100));
    AdviceRequest asked = cluster.adviceRequest();
    assertThat(asked.nodes()).containsExactly("n1");
    // The node fills up before the answer arrives.
    cluster.upsert(TestCluster.bound(TestCluster.pod("filler", "2", 0), "n1"));

    cluster.apply(
        new ClusterEvent.Advised(
            asked.pod(),
            asked.token(),
            new Advice.Nodes(
                Optional.of(Set.of()),
                Map.of("n1", new Advice.Refused("advisor", Verdict.unresolvable("never here"))),
                List.of(),
                List.of())));

    assertThat(cluster.nominated().nodeName()).isEqualTo("n2");
  }

  @Test
  void nothingIsRememberedAboutPodsThatAreGone() {
    cluster.upsert(TestCluster.pod("urgent", "1", 100));
    decide(RESOLVABLE);

    cluster.remove(TestCluster.pod("urgent", "1", 100));

    assertThat(cluster.engine.reservations().rejectedByAdvice().size()).isZero();
  }
}
