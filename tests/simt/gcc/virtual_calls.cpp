// Virtual functions of objects that the device made. GCC 12 leaves virtual tables out of the
// device's code, so the calls are those that it resolves itself; beside them stand tables of
// functions that are made by hand, with real calls through them.
#include "device.h"

#pragma omp declare target
class Shape {
public:
  virtual double area() const = 0;
  virtual int corners() const { return 0; }
  double weight(double density) const { return area() * density; }
};

class Circle final : public Shape {
public:
  explicit Circle(double radius) : radius_(radius) {}
  double area() const override { return 3 * radius_ * radius_; }

private:
  double radius_;
};

class Rectangle : public Shape {
public:
  Rectangle(double width, double height) : width_(width), height_(height) {}
  double area() const override { return width_ * height_; }
  int corners() const override { return 4; }

private:
  double width_;
  double height_;
};

class Square final : public Rectangle {
public:
  explicit Square(double side) : Rectangle(side, side) {}
  int corners() const override { return Rectangle::corners() + 100; }
};

struct Figure;
struct FigureFunctions {
  double (*area)(const Figure&);
  int (*corners)(const Figure&);
};
struct Figure {
  const FigureFunctions* functions;
  double size;
};

static double circle_area(const Figure& figure) {
  return 3 * figure.size * figure.size;
}
static double square_area(const Figure& figure) {
  return figure.size * figure.size;
}
static int no_corners(const Figure&) {
  return 0;
}
static int four_corners(const Figure&) {
  return 4;
}
FigureFunctions figure_functions[2] = {{circle_area, no_corners}, {square_area, four_corners}};

__attribute__((noinline)) static double describe(const Figure& figure) {
  return figure.functions->area(figure) + 1000 * figure.functions->corners(figure);
}
#pragma omp end declare target

int main() {
  require_device();
  double areas[4];
  int corners = 0;
#pragma omp target map(from : areas, corners)
  {
    const Circle circle(2);
    const Rectangle rectangle(3, 5);
    const Square square(4);
    const Shape& first = circle;
    const Shape& second = rectangle;
    areas[0] = first.area();
    areas[1] = second.area();
    areas[2] = square.area();
    areas[3] = first.weight(0.5);
    corners = first.corners() + second.corners() + square.corners();
  }
  CHECK(areas[0] == 12 && areas[1] == 15 && areas[2] == 16 && areas[3] == 6);
  CHECK_EQUAL(corners, 108);

  double described[60];
#pragma omp target map(from : described)
  {
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 30; ++i) {
      const Figure figure = {&figure_functions[i % 2], double(i)};
      described[i] = describe(figure);
    }
    // Lanes call different functions at once.
    Figure figures[30];
    for (int i = 0; i < 30; ++i) {
      figures[i] = Figure{&figure_functions[i % 2], double(i + 30)};
    }
#pragma omp simd
    for (int i = 0; i < 30; ++i) {
      described[i + 30] = describe(figures[i]);
    }
  }
  for (int i = 0; i < 60; ++i) {
    CHECK(described[i] == (i % 2 == 0 ? 3.0 * i * i : double(i) * i + 4000));
  }
  printf("virtual calls: %g %g\n", areas[2], described[59]);
  return pass();
}
