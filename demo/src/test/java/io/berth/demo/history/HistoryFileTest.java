package io.berth.demo.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading and writing of history files. */
class HistoryFileTest {
  @TempDir Path folder;

  @Test
  void history_isReadAsItWasWritten() throws IOException {
    History history = aHistory();
    Path file = folder.resolve("history.jsonl");

    HistoryFile.write(history, file);

    assertThat(HistoryFile.read(file)).isEqualTo(history);
  }

  @Test
  void fileWithoutItsLastLine_isRefused() throws IOException {
    Path file = folder.resolve("history.jsonl");
    HistoryFile.write(aHistory(), file);
    List<String> lines = Files.readAllLines(file);
    Files.write(file, lines.subList(0, lines.size() - 1));

    assertThatThrownBy(() -> HistoryFile.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is incomplete");
  }

  @Test
  void lineThatIsNoChange_isNamed() throws IOException {
    Path file = folder.resolve("history.jsonl");
    Files.writeString(file, "{\"kind\":\"end\",\"at\":\"2026-01-01T00:00:00Z\"}\nnothing\n");

    assertThatThrownBy(() -> HistoryFile.read(file)).hasMessageContaining("line 2");
  }

  private static History aHistory() {
    return new Histories()
        .node("a-1", "4")
        .created("p", "berth", 0, "2500m")
        .queue("q", "1", "2500m")
        .createdIn("q", "other", "1")
        .inPool("p", "a")
        .at(1)
        .bound("p", "a-1")
        .markedBy("berth", "p")
        .leaving("p")
        .deleted("p")
        .claim("c", "driver/a-1/gpu-1", "p")
        .fault(2, 3)
        .until(4);
  }
}
