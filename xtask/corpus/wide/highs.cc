// Solves linear, mixed-integer and quadratic programs, and reads and writes models.
#include "Highs.h"
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

unsigned long long state = 2463534242u;

// A number from -range to range, never 0.
double next(int range) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int value = int(state >> 33) % (2 * range) - range;
    return value >= 0 ? value + 1 : value;
}

// A program with bounded variables and sparse rows, which 0 satisfies.
HighsModel make(int columns, int rows, bool integers) {
    HighsModel model;
    HighsLp &lp = model.lp_;
    lp.num_col_ = columns;
    lp.num_row_ = rows;
    lp.sense_ = ObjSense::kMaximize;
    for (int j = 0; j < columns; j++) {
        lp.col_cost_.push_back(next(9));
        lp.col_lower_.push_back(0);
        lp.col_upper_.push_back(20 + j % 7);
        if (integers) lp.integrality_.push_back(j % 3 ? HighsVarType::kInteger : HighsVarType::kContinuous);
    }
    lp.a_matrix_.format_ = MatrixFormat::kRowwise;
    for (int i = 0; i < rows; i++) {
        for (int j = i % 5; j < columns; j += 3 + i % 4) {
            lp.a_matrix_.index_.push_back(j);
            lp.a_matrix_.value_.push_back(next(6));
        }
        lp.a_matrix_.start_.push_back(int(lp.a_matrix_.index_.size()));
        lp.row_lower_.push_back(-kHighsInf);
        lp.row_upper_.push_back(10 + i);
    }
    return model;
}

void solve(const char *name, const HighsModel &model, const std::string &solver, const std::string &presolve) {
    Highs highs;
    highs.setOptionValue("output_flag", false);
    highs.setOptionValue("threads", 1);
    highs.setOptionValue("parallel", "off");
    highs.setOptionValue("solver", solver);
    highs.setOptionValue("presolve", presolve);
    highs.setOptionValue("random_seed", 7);
    if (highs.passModel(model) == HighsStatus::kError) {
        std::printf("%s: the model is refused\n", name);
        return;
    }
    highs.run();
    const HighsInfo &info = highs.getInfo();
    std::printf("%-10s %-8s presolve %-3s: %s, objective %.6f, nodes %lld\n", name, solver.c_str(), presolve.c_str(),
                highs.modelStatusToString(highs.getModelStatus()).c_str(), info.objective_function_value,
                static_cast<long long>(info.mip_node_count));
}

} // namespace

int main() {
    HighsModel linear = make(60, 40, false);
    for (const char *solver : {"simplex", "ipm"})
        for (const char *presolve : {"on", "off"}) solve("linear", linear, solver, presolve);
    solve("integer", make(24, 16, true), "choose", "on");
    solve("integer", make(18, 12, true), "choose", "off");

    HighsModel quadratic = make(10, 5, false);
    quadratic.lp_.sense_ = ObjSense::kMinimize;
    quadratic.hessian_.dim_ = 10;
    quadratic.hessian_.format_ = HessianFormat::kTriangular;
    quadratic.hessian_.start_.clear();
    for (int j = 0; j < 10; j++) {
        quadratic.hessian_.start_.push_back(j);
        quadratic.hessian_.index_.push_back(j);
        quadratic.hessian_.value_.push_back(1 + j % 3);
    }
    quadratic.hessian_.start_.push_back(10);
    solve("quadratic", quadratic, "choose", "on");

    HighsModel infeasible = make(5, 2, false);
    infeasible.lp_.row_upper_[0] = -1e6;
    solve("infeasible", infeasible, "simplex", "on");
    infeasible.lp_.col_lower_[0] = 100;
    solve("bounds", infeasible, "simplex", "off");
    return 0;
}
