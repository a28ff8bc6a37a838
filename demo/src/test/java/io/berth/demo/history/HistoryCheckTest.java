package io.berth.demo.history;

import static io.berth.demo.history.Histories.second;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Histories that the rules accept, and violations of each rule. */
class HistoryCheckTest {

  @ParameterizedTest
  @MethodSource("accepted")
  void acceptedHistory(History history) {
    assertThat(Histories.check().violations(history)).isEmpty();
  }

  static Stream<Arguments> accepted() {
    return Stream.of(
        argumentSet("nothing happened", new Histories().until(100)),
        argumentSet(
            "pods are bound while there is room",
            new Histories()
                .node("a-1", "4")
                .created("p", "berth", 0, "2")
                .created("q", "berth", 0, "2")
                .at(1)
                .bound("p", "a-1")
                .bound("q", "a-1")
                .until(200)),
        argumentSet(
            "the same name comes again with another UID",
            new Histories()
                .node("a-1", "4")
                .created("p", "berth", 0, "4")
                .bound("p", "a-1")
                .deleted("p")
                .created("q", "berth", 0, "4")
                .bound("q", "a-1")
                .until(200)),
        argumentSet(
            "two schedulers together overcommit a node",
            new Histories()
                .node("a-1", "4")
                .created("p", "berth", 0, "3")
                .created("q", "second", 0, "3")
                .created("r", "foreign", 0, "4")
                .created("s", "foreign", 0, "4")
                .bound("p", "a-1")
                .bound("q", "a-1")
                .bound("r", "a-1")
                .bound("s", "a-1")
                .until(200)),
        argumentSet(
            "a finished pod's room is taken again",
            new Histories()
                .node("a-1", "4")
                .created("p", "berth", 0, "3")
                .bound("p", "a-1")
                .finished("p")
                .created("q", "berth", 0, "3")
                .bound("q", "a-1")
                .until(200)),
        argumentSet(
            "a pod is bound to a node that shrank a moment before",
            new Histories()
                .node("a-1", "4")
                .at(95)
                .created("p", "berth", 0, "3")
                .at(100)
                .node("a-1", "2")
                .at(110)
                .bound("p", "a-1")
                .until(200)),
        argumentSet(
            "a pod that fits nowhere stays pending",
            new Histories().node("a-1", "4").created("p", "berth", 0, "5").until(1000)),
        argumentSet(
            "a pod whose pool is full stays pending",
            new Histories()
                .node("a-1", "4")
                .node("b-1", "4")
                .created("p", "berth", 0, "3")
                .bound("p", "a-1")
                .created("q", "berth", 0, "3")
                .inPool("q", "a")
                .until(1000)),
        argumentSet(
            "another scheduler's pod stays pending",
            new Histories().node("a-1", "4").created("p", "foreign", 0, "1").until(1000)),
        argumentSet(
            "a pod waits during faults, and for 50 s after the last",
            new Histories()
                .node("a-1", "4")
                .created("p", "berth", 0, "1")
                .fault(0, 100)
                .fault(50, 300)
                .at(350)
                .bound("p", "a-1")
                .until(500)),
        argumentSet(
            "room comes and goes for a pending pod",
            new Histories()
                .node("a-1", "4")
                .created("q", "foreign", 0, "4")
                .created("p", "berth", 0, "4")
                .at(50)
                .bound("q", "a-1")
                .at(70)
                .deleted("q")
                .at(120)
                .bound("p", "a-1")
                .until(500)),
        argumentSet(
            "a victim goes for a pod of a higher priority",
            preemption().at(13).bound("high", "a-1").until(500)),
        argumentSet(
            "the room that an eviction made is taken by another scheduler",
            preemption()
                .created("thief", "foreign", 0, "4")
                .bound("thief", "a-1")
                .at(500)
                .until(500)),
        argumentSet(
            "two victims go one after the other",
            new Histories()
                .node("a-1", "4")
                .created("one", "berth", 0, "2")
                .bound("one", "a-1")
                .created("two", "second", 0, "2")
                .bound("two", "a-1")
                .at(5)
                .created("high", "berth", 10, "4")
                .at(6)
                .markedBy("berth", "one")
                .leaving("one")
                .at(9)
                .markedBy("berth", "two")
                .leaving("two")
                .at(10)
                .deleted("one")
                .deleted("two")
                .bound("high", "a-1")
                .until(500)),
        argumentSet(
            "the preemptor was bound elsewhere less than 12 s ago",
            new Histories()
                .node("a-1", "4")
                .created("low", "berth", 0, "4")
                .bound("low", "a-1")
                .at(10)
                .created("high", "berth", 10, "4")
                .at(12)
                .node("a-2", "4")
                .bound("high", "a-2")
                .at(20)
                .markedBy("berth", "low")
                .leaving("low")
                .until(500)),
        argumentSet(
            "the node has too few of a resource that the preemptor does not request",
            new Histories()
                .nodeWithCards("a-1", "2")
                .created("cards", "berth", 0, "0")
                .onCards("cards", "2")
                .bound("cards", "a-1")
                .created("low", "berth", 0, "4")
                .bound("low", "a-1")
                .at(5)
                .nodeWithCards("a-1", "1")
                .at(100)
                .created("high", "berth", 10, "4")
                .at(101)
                .markedBy("berth", "low")
                .leaving("low")
                .at(102)
                .deleted("low")
                .bound("high", "a-1")
                .until(500)),
        argumentSet(
            "a victim is marked and then kept",
            new Histories()
                .node("a-1", "4")
                .created("low", "berth", 0, "4")
                .bound("low", "a-1")
                .at(100)
                .markedBy("berth", "low")
                .until(500)));
  }

  /** A pod of a queue takes resources back from pods of any priority, but not for nobody. */
  @Test
  void withQueues_evictionsMakeRoomForPodsOfAnyPriority() {
    Histories history =
        new Histories()
            .node("a-1", "4")
            .created("borrowed", "berth", 10, "4")
            .bound("borrowed", "a-1")
            .at(5)
            .created("guaranteed", "berth", 0, "4")
            .at(6)
            .markedBy("berth", "borrowed")
            .leaving("borrowed")
            .at(9)
            .deleted("borrowed")
            .bound("guaranteed", "a-1");

    assertThat(Histories.check().violations(history.until(500))).hasSize(1);
    assertThat(Histories.check().withQueues().violations(history.until(500))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("broken")
  void brokenRule(History history, String rule, double atSecond, String words) {
    assertThat(Histories.check().violations(history))
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.rule()).isEqualTo(rule);
              assertThat(violation.at()).isEqualTo(second(atSecond));
              assertThat(violation.what()).contains(words);
            });
  }

  static Stream<Arguments> broken() {
    String once = "a pod is bound at most once";
    String overcommitted = "a scheduler does not overcommit a node";
    String pending = "a pod that fits does not stay pending";
    String room = "an eviction makes room";
    return Stream.of(
        argumentSet(
            "a pod changes its node",
            new Histories()
                .node("a-1", "4")
                .node("a-2", "4")
                .created("p", "berth", 0, "1")
                .bound("p", "a-1")
                .at(7)
                .bound("p", "a-2")
                .until(500),
            once,
            7,
            "default/p (UID p) was bound to a-1, then to a-2"),
        argumentSet(
            "a pod loses its node",
            new Histories()
                .node("a-1", "4")
                .created("p", "berth", 0, "1")
                .bound("p", "a-1")
                .at(7)
                .unbound("p")
                .at(8)
                .deleted("p")
                .until(500),
            once,
            7,
            "then to no node"),
        argumentSet(
            "a pod is bound to a node that shrank long before",
            new Histories()
                .node("a-1", "4")
                .at(95)
                .created("p", "berth", 0, "3")
                .at(100)
                .node("a-1", "2")
                .at(113)
                .bound("p", "a-1")
                .until(200),
            overcommitted,
            113,
            "request cpu 3, pods 1, but the node has cpu 2"),
        argumentSet(
            "two pods of one scheduler request more than the node has",
            new Histories()
                .node("a-1", "4")
                .created("p", "berth", 0, "2500m")
                .created("q", "berth", 0, "2")
                .bound("p", "a-1")
                .at(9)
                .bound("q", "a-1")
                .until(500),
            overcommitted,
            9,
            "the pods of berth on a-1 request cpu 4.5, pods 2, but the node has cpu 4, pods 10"),
        argumentSet(
            "a pod takes the room of one that is still leaving",
            new Histories()
                .node("a-1", "4")
                .created("p", "berth", 0, "4")
                .bound("p", "a-1")
                .leaving("p")
                .created("q", "berth", 0, "4")
                .at(9)
                .bound("q", "a-1")
                .deleted("p")
                .until(500),
            overcommitted,
            9,
            "UID q"),
        argumentSet(
            "an eleventh pod on a node of ten",
            elevenPods(),
            overcommitted,
            9,
            "pods 11, but the node has cpu 4, pods 10"),
        argumentSet(
            "a pod is bound to a node that there is not",
            new Histories().created("p", "berth", 0, "1").at(9).bound("p", "gone").until(500),
            overcommitted,
            9,
            "on gone"),
        argumentSet(
            "a pod that fits waits for more than a minute",
            new Histories().node("a-1", "4").created("p", "berth", 0, "1").at(1).until(61.5),
            pending,
            61.5,
            "default/p (UID p) of berth requests cpu 1, pods 1, has fitted since"),
        argumentSet(
            "a pod that fits waits for more than a minute after the last fault",
            new Histories()
                .node("a-1", "4")
                .created("p", "second", 0, "1")
                .fault(5, 100)
                .at(161)
                .bound("p", "a-1")
                .until(500),
            pending,
            161,
            "UID p"),
        argumentSet(
            "room comes for a pod, and it is not placed",
            new Histories()
                .node("a-1", "4")
                .created("p", "berth", 0, "4")
                .bound("p", "a-1")
                .created("q", "berth", 0, "4")
                .at(30)
                .deleted("p")
                .until(91),
            pending,
            91,
            "UID q"),
        argumentSet(
            "the node has too few of a resource that the pod does not request",
            new Histories()
                .nodeWithCards("a-1", "2")
                .created("cards", "berth", 0, "0")
                .onCards("cards", "2")
                .bound("cards", "a-1")
                .nodeWithCards("a-1", "1")
                .created("p", "berth", 0, "1")
                .until(61),
            pending,
            61,
            "UID p"),
        argumentSet(
            "a pod is evicted for nobody",
            new Histories()
                .node("a-1", "4")
                .created("low", "berth", 0, "4")
                .bound("low", "a-1")
                .at(10)
                .markedBy("berth", "low")
                .leaving("low")
                .until(500),
            room,
            10,
            "berth evicted default/low (UID low) of priority 0 from a-1"),
        argumentSet(
            "a pod is evicted for one of the same priority",
            new Histories()
                .node("a-1", "4")
                .created("low", "berth", 5, "4")
                .bound("low", "a-1")
                .created("other", "berth", 5, "4")
                .at(10)
                .markedBy("berth", "low")
                .leaving("low")
                .at(30)
                .deleted("low")
                .bound("other", "a-1")
                .until(500),
            room,
            10,
            "UID low"),
        argumentSet(
            "a pod is evicted for another scheduler's pod",
            new Histories()
                .node("a-1", "4")
                .created("low", "berth", 0, "4")
                .bound("low", "a-1")
                .created("high", "second", 10, "4")
                .at(10)
                .markedBy("berth", "low")
                .leaving("low")
                .deleted("low")
                .bound("high", "a-1")
                .until(500),
            room,
            10,
            "UID low"),
        argumentSet(
            "a victim's room does not suffice",
            new Histories()
                .node("a-1", "4")
                .created("stays", "berth", 20, "2")
                .bound("stays", "a-1")
                .created("low", "berth", 0, "2")
                .bound("low", "a-1")
                .created("high", "berth", 10, "3")
                .at(40)
                .markedBy("berth", "low")
                .leaving("low")
                .at(60)
                .deleted("high")
                .until(500),
            room,
            40,
            "UID low"),
        argumentSet(
            "a leader that slept evicts for a pod that was bound long ago",
            new Histories()
                .node("a-1", "4")
                .created("low", "berth", 0, "4")
                .bound("low", "a-1")
                .at(10)
                .created("high", "berth", 10, "4")
                .at(12)
                .node("a-2", "4")
                .bound("high", "a-2")
                .at(30)
                .markedBy("berth", "low")
                .leaving("low")
                .until(500),
            room,
            30,
            "UID low"));
  }

  @Test
  void calmSince_isTheEndOfTheLastFault() {
    History history = new Histories().fault(3, 90).fault(80, 85).until(100);

    assertThat(history.calmSince()).isEqualTo(second(90));
  }

  @Test
  void changes_areOrderedByVersion_whateverCameFirst() {
    Histories pending = new Histories().node("a-1", "4").at(5).created("p", "berth", 0, "1");
    History inOrder = pending.at(9).bound("p", "a-1").until(100);

    History shuffled = new History(inOrder.changes().reversed(), inOrder.faults(), inOrder.end());

    assertThat(shuffled.changes()).extracting(ClusterChange::version).isSorted();
    assertThat(shuffled.changes()).extracting(ClusterChange::at).isSorted();
  }

  private static Histories preemption() {
    return new Histories()
        .node("a-1", "4")
        .created("low", "foreign", 0, "4")
        .bound("low", "a-1")
        .at(10)
        .created("high", "berth", 10, "4")
        .at(11)
        .markedBy("berth", "low")
        .leaving("low")
        .at(12)
        .deleted("low");
  }

  private static History elevenPods() {
    Histories history = new Histories().node("a-1", "4");
    for (int i = 0; i < 10; i++) {
      history.created("p" + i, "berth", 0, "1m").bound("p" + i, "a-1");
    }
    return history.created("last", "berth", 0, "1m").at(9).bound("last", "a-1").until(500);
  }
}
