package io.berth.demo.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules for queues of tenants, with histories that keep them and others that violate them. */
class QueuesInHistoriesTest {
  private static List<String> violations(Histories history, double until) {
    return Histories.check().violations(history.until(until)).stream()
        .map(violation -> violation.rule() + ": " + violation.what())
        .toList();
  }

  private static Histories bound(String name, String queue, String cpus, Histories history) {
    return history.createdIn(queue, name, cpus).bound(name, "a-1");
  }

  @Test
  void bindingsWithinTheLimit_areNoViolation() {
    Histories history = new Histories().node("a-1", "8").queue("q", "", "4");
    bound("one", "q", "3", history);
    bound("two", "q", "1", history);
    bound("other", "elsewhere", "4", history);

    assertThat(violations(history, 10)).isEmpty();
  }

  @Test
  void bindingBeyondTheLimit_isAViolation_alsoWhileAPodTerminates() {
    Histories history = new Histories().node("a-1", "8").queue("q", "", "4");
    bound("one", "q", "3", history);
    history.at(5).leaving("one");
    bound("two", "q", "2", history);

    assertThat(violations(history, 10))
        .containsExactly(
            "a binding keeps the limit of its queue: with default/two (UID two), the pods of queue"
                + " q request cpu 5, pods 2, but its limit is cpu 4");
  }

  @Test
  void podsThatAreFinished_orOfNoQueue_doNotViolateTheLimit() {
    Histories history = new Histories().node("a-1", "8").queue("q", "", "4");
    bound("one", "q", "3", history);
    history.finished("one");
    bound("two", "q", "2", history);
    history.created("rival", "rival", 0, "3").bound("rival", "a-1");

    assertThat(violations(history, 10)).isEmpty();
  }

  /** The pods of others fill the node. They could be evicted. */
  @Test
  void podThatIsOwedRoom_mustNotWaitForLongAfterTheLastFault() {
    Histories history = new Histories().node("a-1", "4").queue("q", "2", "");
    bound("other", "elsewhere", "4", history);
    history.createdIn("q", "owed", "2").fault(0, 100);

    assertThat(violations(history, 159)).isEmpty();
    assertThat(violations(history, 161))
        .containsExactly(
            "guarantees are met: default/owed (UID owed) requests cpu 2, pods 1, and is pending"
                + " since 2026-01-01T00:01:40Z although queue q is guaranteed cpu 2 and uses"
                + " nothing");
  }

  @Test
  void podBeyondTheGuarantee_orBesidePodsOfItsOwnQueue_mayWait() {
    Histories beyond = new Histories().node("a-1", "4").queue("q", "2", "");
    bound("other", "elsewhere", "4", beyond);
    beyond.createdIn("q", "p", "3");
    assertThat(violations(beyond, 500)).isEmpty();

    Histories full = new Histories().node("a-1", "4").queue("q", "8", "");
    bound("own", "q", "3", full);
    full.createdIn("q", "p", "2");
    assertThat(violations(full, 500)).isEmpty();
  }

  @Test
  void podThatItsLimitHolds_mayStayPending_thoughItFits() {
    Histories history = new Histories().node("a-1", "8").queue("q", "", "4");
    bound("one", "q", "3", history);
    history.createdIn("q", "p", "2");
    assertThat(violations(history, 500)).isEmpty();

    history.at(500).deleted("one");
    assertThat(violations(history, 561))
        .singleElement()
        .asString()
        .startsWith("a pod that fits does not stay pending: default/p");
  }

  @Test
  void evictionForAnotherQueue_needsNoHigherPriority() {
    Histories history = new Histories().node("a-1", "4").queue("q", "2", "");
    bound("other", "elsewhere", "4", history);
    history
        .createdIn("q", "p", "2")
        .at(1)
        .markedBy("berth", "other")
        .leaving("other")
        .at(2)
        .deleted("other")
        .bound("p", "a-1");
    assertThat(violations(history, 100)).isEmpty();

    Histories same = new Histories().node("a-1", "4");
    bound("victim", "elsewhere", "4", same);
    same.createdIn("elsewhere", "p", "2")
        .at(1)
        .markedBy("berth", "victim")
        .leaving("victim")
        .at(2)
        .deleted("victim")
        .bound("p", "a-1");
    assertThat(violations(same, 100))
        .singleElement()
        .asString()
        .startsWith("an eviction makes room: ");
  }
}
