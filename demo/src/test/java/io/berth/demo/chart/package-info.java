/** The Helm chart: what is rendered from it, and what it must hold. */
@NullMarked
package io.berth.demo.chart;

import org.jspecify.annotations.NullMarked;
