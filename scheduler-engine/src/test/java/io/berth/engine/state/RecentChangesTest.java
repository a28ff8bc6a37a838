package io.berth.engine.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecentChangesTest {
  private final RecentChanges changes = new RecentChanges(4);

  private List<Integer> since(long version) {
    List<Integer> visited = new ArrayList<>();
    changes.forEachSince(version, visited::add);
    return visited;
  }

  @Test
  void changesBeforeTheFirstReader_areNotKept() {
    for (int i = 0; i < 1_000; i++) {
      changes.add(i);
    }

    assertThat(changes.bytes()).isLessThan(100);
    assertThat(changes.knowsSince(0)).as("a reader that has read nothing").isFalse();
    assertThat(since(changes.version())).isEmpty();
    assertThat(changes.knowsSince(0)).as("a second reader that has read nothing").isFalse();
  }

  @Test
  void aReader_visitsWhatChangedSinceItsLastLook() {
    changes.add(7);
    long seen = changes.version();
    changes.add(3);
    changes.add(9);

    assertThat(changes.knowsSince(seen)).isTrue();
    assertThat(since(seen)).containsExactly(3, 9);
    assertThat(since(changes.version())).isEmpty();
  }

  @Test
  void aReaderThatFellBehind_isInformed() {
    long seen = changes.version();
    for (int i = 0; i < 4; i++) {
      changes.add(i);
    }
    assertThat(changes.knowsSince(seen)).isTrue();

    changes.add(4);

    assertThat(changes.knowsSince(seen)).isFalse();
    assertThat(since(seen + 1)).containsExactly(1, 2, 3, 4);
  }

  @Test
  void whenEverythingMayHaveChanged_everyReaderHasFallenBehind() {
    changes.add(1);
    long seen = changes.version();

    changes.addAll();

    assertThat(changes.knowsSince(seen)).isFalse();
    assertThat(changes.knowsSince(changes.version())).isTrue();
  }

  @Test
  void aSizeThatIsNoPowerOfTwo_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new RecentChanges(100));
  }
}
