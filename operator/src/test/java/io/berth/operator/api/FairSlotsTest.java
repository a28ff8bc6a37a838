package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.operator.api.FairSlots.Slot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The turns of namespaces, and what a slow namespace may take from the others. */
class FairSlotsTest {
  private static final int LIMIT = 32;
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final FairSlots<String> slots = new FairSlots<>();
  private long now;

  private List<Slot<String>> startAll() {
    List<Slot<String>> started = new ArrayList<>();
    for (Slot<String> slot = next(); slot != null; slot = next()) {
      started.add(slot);
    }
    return started;
  }

  private @Nullable Slot<String> next() {
    return slots.next(LIMIT, now);
  }

  private void add(String namespace, int count) {
    for (int i = 0; i < count; i++) {
      slots.add(namespace, namespace + "-" + i);
    }
  }

  private static List<String> requests(List<Slot<String>> started) {
    return started.stream().map(Slot::request).toList();
  }

  @Test
  void namespaces_takeTurns_andTheRequestsOfEachKeepTheirOrder() {
    add("a", 3);
    add("b", 1);
    add("c", 2);

    assertThat(requests(startAll())).containsExactly("a-0", "b-0", "c-0", "a-1", "c-1", "a-2");
  }

  @Test
  void aNamespaceAlone_getsAllSlots() {
    add("a", 100);

    assertThat(startAll()).hasSize(LIMIT);
    assertThat(slots.quickWaiting()).isEqualTo(100 - LIMIT);
  }

  @Test
  void aNamespaceWithoutAnswers_takesNoSlotsOfOthers_afterASecond() {
    add("hanging", 1_000);
    startAll();
    add("web", 5);
    assertThat(startAll()).isEmpty();
    assertThat(slots.untilNextIsSlow(now)).contains(FairSlots.SLOW);

    now += SECOND;
    List<String> started = requests(startAll());

    assertThat(started).containsExactly("web-0", "web-1", "web-2", "web-3", "web-4");
    assertThat(slots.isSlow("hanging")).isTrue();
    assertThat(slots.quickWaiting()).as("what keeps the engine from deciding").isZero();
    assertThat(slots.waitingOf("hanging")).isEqualTo(1_000 - LIMIT);
  }

  @Test
  void slowNamespaces_shareHalfAsManySlots_aQuarterOfTheseEach() {
    for (String namespace : List.of("a", "b", "c", "d", "e", "f")) {
      add(namespace, 1);
    }
    List<Slot<String>> hanging = startAll();
    now += SECOND;
    startAll();
    hanging.forEach(slot -> slots.ended(slot, FairSlots.Response.ANSWERED, now));
    for (String namespace : List.of("a", "b", "c", "d", "e", "f")) {
      add(namespace, 100);
    }

    List<String> started = requests(startAll());

    assertThat(started).hasSize(LIMIT / 2);
    assertThat(started.stream().filter(request -> request.startsWith("a-"))).hasSize(3);
    add("quick", 100);
    assertThat(startAll()).hasSize(LIMIT);
  }

  @Test
  void aSlowNamespace_isQuickAgain_afterEightQuickAnswers() {
    add("a", 20);
    List<Slot<String>> hanging = startAll();
    now += SECOND;
    startAll();
    hanging.forEach(slot -> slots.ended(slot, FairSlots.Response.ANSWERED, now));
    assertThat(slots.isSlow("a")).isTrue();

    add("a", 8);
    for (int answers = 0; answers < 8; answers++) {
      assertThat(slots.isSlow("a")).isTrue();
      Slot<String> slot = next();
      assertThat(slot).isNotNull();
      slots.ended(slot, FairSlots.Response.ANSWERED, now);
    }

    assertThat(slots.isSlow("a")).isFalse();
  }

  @Test
  void aNamespaceWhoseAdmissionFails_isSlow_howeverQuickTheFailuresAre() {
    add("refused", 100);
    List<Slot<String>> first = startAll();

    slots.ended(first.getFirst(), FairSlots.Response.ADMISSION_FAILED, now);

    assertThat(slots.isSlow("refused")).isTrue();
    assertThat(slots.quickWaiting()).isZero();
    add("web", LIMIT);
    assertThat(requests(startAll())).hasSize(LIMIT).allMatch(request -> request.startsWith("web"));
  }

  @Test
  void ifTheServerItselfIsSlow_slowNamespacesGetAllSlots() {
    add("a", 100);
    List<Slot<String>> hanging = startAll();
    now += SECOND;
    startAll();
    hanging.forEach(slot -> slots.ended(slot, FairSlots.Response.ANSWERED, now));
    assertThat(startAll()).hasSize(LIMIT / 2 / 4);

    int started = 0;
    while (slots.next(LIMIT, false, now) != null) {
      started++;
    }

    assertThat(started).isEqualTo(LIMIT - LIMIT / 2 / 4);
  }

  @Test
  void aRepeatedRequest_comesBeforeTheOthersOfItsNamespace() {
    add("a", 2);

    slots.addFirst("a", "again");

    assertThat(requests(startAll())).containsExactly("again", "a-0", "a-1");
  }

  @Test
  void theCounts_returnToZero_whateverHappens() {
    add("a", 40);
    add("b", 40);
    List<Slot<String>> first = startAll();
    now += SECOND / 2;
    first.subList(0, 10).forEach(slot -> slots.ended(slot, FairSlots.Response.SERVER_FAILED, now));
    first = new ArrayList<>(first.subList(10, first.size()));
    first.addAll(startAll());
    now += SECOND;
    first.addAll(startAll());
    assertThat(slots.drop(request -> request.equals("b-39"))).containsExactly("b-39");
    for (int i = 0; i < first.size(); i++) {
      slots.ended(first.get(i), FairSlots.Response.ANSWERED, now);
      first.addAll(startAll());
    }

    assertThat(slots.underWay()).isZero();
    assertThat(slots.quickUnderWay()).isZero();
    assertThat(slots.waiting()).isZero();
    assertThat(slots.untilNextIsSlow(now)).isEqualTo(Optional.empty());
  }
}
