// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/* Tokens for tests of the index: three by the standards, and some that mislead whoever reads their logs. */

contract Coin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public name = "Coin";
    string public symbol = "CO";
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    constructor(uint256 supply) {
        mint(msg.sender, supply);
    }

    function mint(address to, uint256 value) public {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function pay(address payable to) external payable {
        require(msg.value > 0, "nothing to pay");
        to.transfer(msg.value);
    }
}

/// Keeps a tenth of each transfer without a log.
contract FeeCoin is Coin(1000) {
    function transfer(address to, uint256 value) external override returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - value / 10;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

contract Art {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    string public name = "Art";
    string public symbol = "ART";
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;

    function move(address to, uint256 id) external {
        address from = ownerOf[id];
        if (from != address(0)) balanceOf[from] -= 1;
        if (to != address(0)) balanceOf[to] += 1;
        ownerOf[id] = to;
        emit Transfer(from, to, id);
    }
}

contract Things {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);

    mapping(uint256 => mapping(address => uint256)) held;

    function balanceOf(address holder, uint256 id) external view returns (uint256) {
        return held[id][holder];
    }

    function mint(address to, uint256[] memory ids, uint256[] memory values) external {
        for (uint256 i = 0; i < ids.length; i++) held[ids[i]][to] += values[i];
        emit TransferBatch(msg.sender, address(0), to, ids, values);
    }

    function give(address to, uint256 id, uint256 value) external {
        held[id][msg.sender] -= value;
        held[id][to] += value;
        emit TransferSingle(msg.sender, msg.sender, to, id, value);
    }
}

/// Answers with what costs its reader: a loop, a revert, megabytes, names that are markup or no text.
contract Hostile {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function claim(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }

    function name() external pure returns (string memory) {
        bytes memory text = new bytes(3000);
        for (uint256 i = 0; i < text.length; i++) text[i] = i % 2 == 0 ? bytes1("<") : bytes1(0xff);
        return string(text);
    }

    function symbol() external pure returns (bytes32) {
        return "<b>\u202eevil";
    }

    function decimals() external pure returns (uint256) {
        return type(uint256).max;
    }

    function totalSupply() external pure returns (uint256) {
        assembly {
            return(0, 10000000)
        }
    }

    function balanceOf(address) external pure returns (uint256 spent) {
        while (true) spent += 1;
    }
}

/// Reverts whatever it is asked, with a text that is too long to show.
contract Reverting {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function claim(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }

    fallback() external {
        assembly {
            revert(0, 100000)
        }
    }
}

/// Answers as much as the gas of a call buys, whatever it is asked.
contract Flooding {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function claim(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }

    fallback() external {
        assembly {
            return(0, 240000)
        }
    }
}

/// Asks for withdrawals as the bridge contracts of the reference do, and keeps what it is paid.
contract Bridge {
    event SequencerWithdrawal(address indexed sender, uint256 indexed amount, string destinationChainAddress);
    event Ics20Withdrawal(address indexed sender, uint256 indexed amount, string destinationChainAddress, string memo);

    function withdrawToSequencer(string calldata to) external payable {
        emit SequencerWithdrawal(msg.sender, msg.value, to);
    }

    function withdrawToIbcChain(string calldata to, string calldata memo) external payable {
        emit Ics20Withdrawal(msg.sender, msg.value, to, memo);
    }
}
