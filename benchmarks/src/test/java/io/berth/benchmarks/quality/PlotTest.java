package io.berth.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.berth.benchmarks.quality.LinePlot.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlotTest {
  @Test
  void linePlot_showsEveryCurve() {
    String svg =
        new LinePlot("title", "x", "y")
            .curve("a < b", List.of(new Point(0, 0), new Point(10, 5)))
            .svg();

    assertThat(svg).startsWith("<svg").contains("a &lt; b").contains("60.0,310.0 700.0,50.0");
  }

  @Test
  void linePlotBeginsWhereItIsAskedTo() {
    String svg =
        new LinePlot("title", "x", "y")
            .from(85, 90)
            .curve("a", List.of(new Point(80, 95), new Point(85, 90), new Point(105, 100)))
            .svg();

    assertThat(svg).contains("points=\"60.0,310.0 700.0,50.0 \"").contains(">85<", ">90<");
  }

  @Test
  void barPlot_showsEachValueAsABarWithItsNumber() {
    String svg =
        new BarPlot("title", "percent", List.of("CPU", "memory"))
            .series("before", List.of(8.0, 4.0))
            .series("after", List.of(2.0, 1.0))
            .svg();

    assertThat(svg)
        .contains("CPU", "memory", "before", "after", ">8.0<", ">4.0<", ">2.0<", ">1.0<")
        .contains("height=\"200.0\"", "height=\"100.0\"", "height=\"50.0\"", "height=\"25.0\"");
  }

  @Test
  void barPlot_refusesASeriesThatDoesNotCoverTheGroups() {
    BarPlot plot = new BarPlot("title", "percent", List.of("CPU", "memory"));

    assertThatIllegalArgumentException().isThrownBy(() -> plot.series("one", List.of(1.0)));
  }
}
