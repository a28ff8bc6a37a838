/** The Helm chart: its rendering and its rules. */
@NullMarked
package io.berth.demo.chart;

import org.jspecify.annotations.NullMarked;
