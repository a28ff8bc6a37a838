package io.berth.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.operator.feed.EventReceipt;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The selection among policies that are marked default. */
class DefaultPolicyTest {

  private static final String BROKEN = "{default: true, predicates: [{name: Nowhere}]}";

  private final List<String> defaults = new ArrayList<>();
  private final ServedPolicies policies = new ServedPolicies(this::receive);

  @Test
  void brokenDefault_isPassedOver_untilItIsMended() {
    policies.update(List.of(source("older", 1, BROKEN)));
    defaults.clear();
    policies.beginTerm(Map.of(), Map.of());

    policies.update(List.of(source("older", 1, BROKEN), source("younger", 1, "{default: true}")));
    policies.update(
        List.of(source("older", 2, "{default: true}"), source("younger", 1, "{default: true}")));

    assertThat(defaults).containsExactly("", "younger", "older");
  }

  @Test
  void defaultThatBreaks_goesOnByItsLastGoodRevision() {
    defaults.clear();
    policies.beginTerm(Map.of(), Map.of());
    policies.update(List.of(source("only", 1, "{default: true}")));

    policies.update(List.of(source("only", 2, BROKEN)));

    assertThat(defaults).containsExactly("", "only");
  }

  @Test
  void brokenDefault_whoseLastGoodRevisionIsReadLate_isTheDefaultFromThenOn() {
    policies.update(List.of(source("only", 2, BROKEN)));
    defaults.clear();
    policies.beginTerm(Map.of(), Map.of());

    policies.stored(
        Map.of(
            "only",
            new GoodRevision(
                "1",
                SchedulingPolicySpec.defaults(),
                new OwnerReferenceBuilder().withUid("uid-of-only").build())));

    assertThat(defaults).containsExactly("", "only");
  }

  private void receive(ClusterEvent event, Consumer<EventReceipt> receipt) {
    if (event instanceof ClusterEvent.DefaultPolicyChanged(String name)) {
      defaults.add(name);
    }
  }

  private static PolicySource source(String name, int generation, String spec) {
    return PolicySources.of(
        Serialization.unmarshal(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata: {name: %s, uid: uid-of-%s, generation: %d, creationTimestamp: "%s"}
            spec: %s
            """
                .formatted(
                    name,
                    name,
                    generation,
                    name.equals("older") ? "2026-01-01T00:00:00Z" : "2026-01-02T00:00:00Z",
                    spec),
            SchedulingPolicy.class));
  }
}
